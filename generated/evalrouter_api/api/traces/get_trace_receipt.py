# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.trace_receipt import TraceReceipt
from ...types import Response


def get_kwargs(
    connection_id: str,
    source_trace_id: str,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/trace-connections/{connection_id}/receipts/{source_trace_id}".format(
            connection_id=quote(str(connection_id), safe=""),
            source_trace_id=quote(str(source_trace_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | TraceReceipt | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = TraceReceipt.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[Problem | TraceReceipt]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    connection_id: str,
    source_trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[Problem | TraceReceipt]:
    """Read what the server holds of a trace

     With the connection's own key. Counts and a digest, no content; a trace of which nothing is held has
    no `server_trace_id`.

    Args:
        connection_id (str):
        source_trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TraceReceipt]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            connection_id=connection_id,
            source_trace_id=source_trace_id,
        )
    )
    return build_response(client=client, response=response)


def sync(
    connection_id: str,
    source_trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Problem | TraceReceipt | None:
    """Read what the server holds of a trace

     With the connection's own key. Counts and a digest, no content; a trace of which nothing is held has
    no `server_trace_id`.

    Args:
        connection_id (str):
        source_trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TraceReceipt
    """

    return sync_detailed(
        connection_id=connection_id,
        source_trace_id=source_trace_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    connection_id: str,
    source_trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[Problem | TraceReceipt]:
    """Read what the server holds of a trace

     With the connection's own key. Counts and a digest, no content; a trace of which nothing is held has
    no `server_trace_id`.

    Args:
        connection_id (str):
        source_trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TraceReceipt]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            connection_id=connection_id,
            source_trace_id=source_trace_id,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    connection_id: str,
    source_trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Problem | TraceReceipt | None:
    """Read what the server holds of a trace

     With the connection's own key. Counts and a digest, no content; a trace of which nothing is held has
    no `server_trace_id`.

    Args:
        connection_id (str):
        source_trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TraceReceipt
    """

    return (
        await asyncio_detailed(
            connection_id=connection_id,
            source_trace_id=source_trace_id,
            client=client,
        )
    ).parsed
