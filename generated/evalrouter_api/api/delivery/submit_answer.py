# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.lease_state import LeaseState
from ...models.problem import Problem
from ...models.submission import Submission
from ...types import UNSET, Response, Unset


def get_kwargs(
    lease_id: str,
    *,
    body: Submission,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/leases/{lease_id}/submission".format(
            lease_id=quote(str(lease_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> LeaseState | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = LeaseState.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[LeaseState | Problem]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    lease_id: str,
    *,
    client: AuthenticatedClient,
    body: Submission,
    idempotency_key: str | Unset = UNSET,
) -> Response[LeaseState | Problem]:
    """Hand in a task's answer

     Accepted once: another one is refused with `already_submitted`, one whose lease is over with
    `lease_ended`. `done` has it graded.

    Args:
        lease_id (str):
        idempotency_key (str | Unset):
        body (Submission):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LeaseState | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            lease_id=lease_id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


def sync(
    lease_id: str,
    *,
    client: AuthenticatedClient,
    body: Submission,
    idempotency_key: str | Unset = UNSET,
) -> LeaseState | Problem | None:
    """Hand in a task's answer

     Accepted once: another one is refused with `already_submitted`, one whose lease is over with
    `lease_ended`. `done` has it graded.

    Args:
        lease_id (str):
        idempotency_key (str | Unset):
        body (Submission):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LeaseState | Problem
    """

    return sync_detailed(
        lease_id=lease_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    lease_id: str,
    *,
    client: AuthenticatedClient,
    body: Submission,
    idempotency_key: str | Unset = UNSET,
) -> Response[LeaseState | Problem]:
    """Hand in a task's answer

     Accepted once: another one is refused with `already_submitted`, one whose lease is over with
    `lease_ended`. `done` has it graded.

    Args:
        lease_id (str):
        idempotency_key (str | Unset):
        body (Submission):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LeaseState | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            lease_id=lease_id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    lease_id: str,
    *,
    client: AuthenticatedClient,
    body: Submission,
    idempotency_key: str | Unset = UNSET,
) -> LeaseState | Problem | None:
    """Hand in a task's answer

     Accepted once: another one is refused with `already_submitted`, one whose lease is over with
    `lease_ended`. `done` has it graded.

    Args:
        lease_id (str):
        idempotency_key (str | Unset):
        body (Submission):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LeaseState | Problem
    """

    return (
        await asyncio_detailed(
            lease_id=lease_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
