# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.trace import Trace
from ...types import Response


def get_kwargs(
    trace_id: str,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/traces/{trace_id}".format(
            trace_id=quote(str(trace_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | Trace | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = Trace.from_dict(response.json())

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

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[Problem | Trace]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[Problem | Trace]:
    """Read a trace

    Args:
        trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Trace]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            trace_id=trace_id,
        )
    )
    return build_response(client=client, response=response)


def sync(
    trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Problem | Trace | None:
    """Read a trace

    Args:
        trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Trace
    """

    return sync_detailed(
        trace_id=trace_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[Problem | Trace]:
    """Read a trace

    Args:
        trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Trace]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            trace_id=trace_id,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    trace_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Problem | Trace | None:
    """Read a trace

    Args:
        trace_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Trace
    """

    return (
        await asyncio_detailed(
            trace_id=trace_id,
            client=client,
        )
    ).parsed
