# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.benchmark_page import BenchmarkPage
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def get_kwargs(
    *,
    match: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    params: dict[str, Any] = {}

    params["match"] = match

    params["cursor"] = cursor

    params["limit"] = limit

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/benchmarks",
        "params": params,
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> BenchmarkPage | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = BenchmarkPage.from_dict(response.json())

        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[BenchmarkPage | Problem]:
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
    match: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Response[BenchmarkPage | Problem]:
    """List benchmarks

     Every version of every benchmark. With `match`, only those whose ID, slug or display name equals it
    (letter case aside); never a prefix or a
    fuzzy match. Where nothing matches, `suggestions` names the nearest.

    Args:
        match (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BenchmarkPage | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            match=match,
            cursor=cursor,
            limit=limit,
        )
    )
    return build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient | Client,
    match: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> BenchmarkPage | Problem | None:
    """List benchmarks

     Every version of every benchmark. With `match`, only those whose ID, slug or display name equals it
    (letter case aside); never a prefix or a
    fuzzy match. Where nothing matches, `suggestions` names the nearest.

    Args:
        match (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BenchmarkPage | Problem
    """

    return sync_detailed(
        client=client,
        match=match,
        cursor=cursor,
        limit=limit,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    match: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> Response[BenchmarkPage | Problem]:
    """List benchmarks

     Every version of every benchmark. With `match`, only those whose ID, slug or display name equals it
    (letter case aside); never a prefix or a
    fuzzy match. Where nothing matches, `suggestions` names the nearest.

    Args:
        match (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BenchmarkPage | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            match=match,
            cursor=cursor,
            limit=limit,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    match: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
    limit: int | Unset = 50,
) -> BenchmarkPage | Problem | None:
    """List benchmarks

     Every version of every benchmark. With `match`, only those whose ID, slug or display name equals it
    (letter case aside); never a prefix or a
    fuzzy match. Where nothing matches, `suggestions` names the nearest.

    Args:
        match (str | Unset):
        cursor (str | Unset):
        limit (int | Unset):  Default: 50.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BenchmarkPage | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            match=match,
            cursor=cursor,
            limit=limit,
        )
    ).parsed
