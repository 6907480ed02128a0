# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.benchmark_example import BenchmarkExample
from ...models.problem import Problem
from ...types import Response


def get_kwargs(
    benchmark_id: str,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/benchmarks/{benchmark_id}/example".format(
            benchmark_id=quote(str(benchmark_id), safe=""),
        ),
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> BenchmarkExample | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = BenchmarkExample.from_dict(response.json())

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

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[BenchmarkExample | Problem]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    benchmark_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[BenchmarkExample | Problem]:
    """Read an example of a benchmark

     The benchmark's first row as it is asked and graded. The server may have to fetch the benchmark's
    data first.

    Args:
        benchmark_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BenchmarkExample | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            benchmark_id=benchmark_id,
        )
    )
    return build_response(client=client, response=response)


def sync(
    benchmark_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> BenchmarkExample | Problem | None:
    """Read an example of a benchmark

     The benchmark's first row as it is asked and graded. The server may have to fetch the benchmark's
    data first.

    Args:
        benchmark_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BenchmarkExample | Problem
    """

    return sync_detailed(
        benchmark_id=benchmark_id,
        client=client,
    ).parsed


async def asyncio_detailed(
    benchmark_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> Response[BenchmarkExample | Problem]:
    """Read an example of a benchmark

     The benchmark's first row as it is asked and graded. The server may have to fetch the benchmark's
    data first.

    Args:
        benchmark_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BenchmarkExample | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            benchmark_id=benchmark_id,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    benchmark_id: str,
    *,
    client: AuthenticatedClient | Client,
) -> BenchmarkExample | Problem | None:
    """Read an example of a benchmark

     The benchmark's first row as it is asked and graded. The server may have to fetch the benchmark's
    data first.

    Args:
        benchmark_id (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BenchmarkExample | Problem
    """

    return (
        await asyncio_detailed(
            benchmark_id=benchmark_id,
            client=client,
        )
    ).parsed
