# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.call_page import CallPage
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def get_kwargs(
    run_id: str,
    *,
    task_id: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    params: dict[str, Any] = {}

    params["task_id"] = task_id

    params["cursor"] = cursor

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}/calls".format(
            run_id=quote(str(run_id), safe=""),
        ),
        "params": params,
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> CallPage | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = CallPage.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[CallPage | Problem]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    task_id: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Response[CallPage | Problem]:
    """List a run's model calls

     Every charge of a run is explained by exactly one recorded call.

    Args:
        run_id (str):
        task_id (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CallPage | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            task_id=task_id,
            cursor=cursor,
            limit=limit,
        )
    )
    return build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    task_id: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> CallPage | Problem | None:
    """List a run's model calls

     Every charge of a run is explained by exactly one recorded call.

    Args:
        run_id (str):
        task_id (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CallPage | Problem
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        task_id=task_id,
        cursor=cursor,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    task_id: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Response[CallPage | Problem]:
    """List a run's model calls

     Every charge of a run is explained by exactly one recorded call.

    Args:
        run_id (str):
        task_id (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CallPage | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            task_id=task_id,
            cursor=cursor,
            limit=limit,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    task_id: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> CallPage | Problem | None:
    """List a run's model calls

     Every charge of a run is explained by exactly one recorded call.

    Args:
        run_id (str):
        task_id (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CallPage | Problem
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            task_id=task_id,
            cursor=cursor,
            limit=limit,
        )
    ).parsed
