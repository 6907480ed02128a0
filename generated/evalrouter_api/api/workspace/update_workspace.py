# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.workspace import Workspace
from ...models.workspace_update import WorkspaceUpdate
from ...types import UNSET, Response, Unset


def get_kwargs(
    *,
    body: WorkspaceUpdate,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/v1/workspace",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | Workspace | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = Workspace.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[Problem | Workspace]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: WorkspaceUpdate,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Workspace]:
    """Turn a switch

     Turning Traces off refuses traces from then on, and hides what is there until it is turned on again.

    Args:
        idempotency_key (str | Unset):
        body (WorkspaceUpdate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Workspace]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    body: WorkspaceUpdate,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Workspace | None:
    """Turn a switch

     Turning Traces off refuses traces from then on, and hides what is there until it is turned on again.

    Args:
        idempotency_key (str | Unset):
        body (WorkspaceUpdate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Workspace
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: WorkspaceUpdate,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Workspace]:
    """Turn a switch

     Turning Traces off refuses traces from then on, and hides what is there until it is turned on again.

    Args:
        idempotency_key (str | Unset):
        body (WorkspaceUpdate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Workspace]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: WorkspaceUpdate,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Workspace | None:
    """Turn a switch

     Turning Traces off refuses traces from then on, and hides what is there until it is turned on again.

    Args:
        idempotency_key (str | Unset):
        body (WorkspaceUpdate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Workspace
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
