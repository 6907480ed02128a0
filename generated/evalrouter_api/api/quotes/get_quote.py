# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.quote import Quote
from ...types import Response


def get_kwargs(
    quote_id: str,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/quotes/{quote_id}".format(
            quote_id=quote(str(quote_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | Quote | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = Quote.from_dict(response.json())

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
) -> Response[Problem | Quote]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    quote_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[Problem | Quote]:
    """Read a quote

    Args:
        quote_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Quote]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            quote_id=quote_id,
        )
    )
    return build_response(client=client, response=response)


def sync(
    quote_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Problem | Quote | None:
    """Read a quote

    Args:
        quote_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Quote
    """

    return sync_detailed(
        quote_id=quote_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    quote_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[Problem | Quote]:
    """Read a quote

    Args:
        quote_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Quote]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            quote_id=quote_id,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    quote_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Problem | Quote | None:
    """Read a quote

    Args:
        quote_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Quote
    """

    return (
        await asyncio_detailed(
            quote_id=quote_id,
            client=client,
        )
    ).parsed
