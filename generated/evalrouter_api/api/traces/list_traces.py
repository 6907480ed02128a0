# Generated from openapi.yaml by scripts/regen; do not edit.

import datetime
from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.span_status_value import SpanStatusValue
from ...models.trace_page import TracePage
from ...types import UNSET, Response, Unset


def get_kwargs(
    *,
    name: str | Unset = UNSET,
    status: SpanStatusValue | Unset = UNSET,
    connection_id: str | Unset = UNSET,
    started_from: datetime.datetime | Unset = UNSET,
    started_before: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    params: dict[str, Any] = {}

    params["name"] = name

    json_status: str | Unset = UNSET
    if not isinstance(status, Unset):
        json_status = status.value

    params["status"] = json_status

    params["connection_id"] = connection_id

    json_started_from: str | Unset = UNSET
    if not isinstance(started_from, Unset):
        json_started_from = started_from.isoformat()
    params["started_from"] = json_started_from

    json_started_before: str | Unset = UNSET
    if not isinstance(started_before, Unset):
        json_started_before = started_before.isoformat()
    params["started_before"] = json_started_before

    params["cursor"] = cursor

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/traces",
        "params": params,
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | TracePage | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = TracePage.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[Problem | TracePage]:
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
    name: str | Unset = UNSET,
    status: SpanStatusValue | Unset = UNSET,
    connection_id: str | Unset = UNSET,
    started_from: datetime.datetime | Unset = UNSET,
    started_before: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Response[Problem | TracePage]:
    """List traces

    Args:
        name (str | Unset):
        status (SpanStatusValue | Unset):
        connection_id (str | Unset):
        started_from (datetime.datetime | Unset):
        started_before (datetime.datetime | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TracePage]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            name=name,
            status=status,
            connection_id=connection_id,
            started_from=started_from,
            started_before=started_before,
            cursor=cursor,
            limit=limit,
        )
    )
    return build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    name: str | Unset = UNSET,
    status: SpanStatusValue | Unset = UNSET,
    connection_id: str | Unset = UNSET,
    started_from: datetime.datetime | Unset = UNSET,
    started_before: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Problem | TracePage | None:
    """List traces

    Args:
        name (str | Unset):
        status (SpanStatusValue | Unset):
        connection_id (str | Unset):
        started_from (datetime.datetime | Unset):
        started_before (datetime.datetime | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TracePage
    """

    return sync_detailed(
        client=client,
        name=name,
        status=status,
        connection_id=connection_id,
        started_from=started_from,
        started_before=started_before,
        cursor=cursor,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    name: str | Unset = UNSET,
    status: SpanStatusValue | Unset = UNSET,
    connection_id: str | Unset = UNSET,
    started_from: datetime.datetime | Unset = UNSET,
    started_before: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Response[Problem | TracePage]:
    """List traces

    Args:
        name (str | Unset):
        status (SpanStatusValue | Unset):
        connection_id (str | Unset):
        started_from (datetime.datetime | Unset):
        started_before (datetime.datetime | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TracePage]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            name=name,
            status=status,
            connection_id=connection_id,
            started_from=started_from,
            started_before=started_before,
            cursor=cursor,
            limit=limit,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    name: str | Unset = UNSET,
    status: SpanStatusValue | Unset = UNSET,
    connection_id: str | Unset = UNSET,
    started_from: datetime.datetime | Unset = UNSET,
    started_before: datetime.datetime | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Problem | TracePage | None:
    """List traces

    Args:
        name (str | Unset):
        status (SpanStatusValue | Unset):
        connection_id (str | Unset):
        started_from (datetime.datetime | Unset):
        started_before (datetime.datetime | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TracePage
    """

    return (
        await asyncio_detailed(
            client=client,
            name=name,
            status=status,
            connection_id=connection_id,
            started_from=started_from,
            started_before=started_before,
            cursor=cursor,
            limit=limit,
        )
    ).parsed
