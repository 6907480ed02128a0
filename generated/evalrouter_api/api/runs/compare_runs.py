# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.comparison import Comparison
from ...models.problem import Problem
from ...types import UNSET, Response


def get_kwargs(
    run_id: str,
    *,
    with_: list[str],
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""

    params: dict[str, Any] = {}

    json_with_ = with_

    params["with"] = json_with_

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}/comparison".format(
            run_id=quote(str(run_id), safe=""),
        ),
        "params": params,
    }
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Comparison | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = Comparison.from_dict(response.json())

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

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[Comparison | Problem]:
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
    with_: list[str],
) -> Response[Comparison | Problem]:
    """Compare runs with this one

     Compares each of the runs in `with` with this one, the baseline, on the questions that both graded:
    exact McNemar test for scores of 0 or 1 tried once, a seeded bootstrap
    over the questions otherwise. Runs of different benchmarks, versions or data are refused
    (`not_comparable`), and so are runs that share no graded question.

    Args:
        run_id (str):
        with_ (list[str]):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Comparison | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            with_=with_,
        )
    )
    return build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    with_: list[str],
) -> Comparison | Problem | None:
    """Compare runs with this one

     Compares each of the runs in `with` with this one, the baseline, on the questions that both graded:
    exact McNemar test for scores of 0 or 1 tried once, a seeded bootstrap
    over the questions otherwise. Runs of different benchmarks, versions or data are refused
    (`not_comparable`), and so are runs that share no graded question.

    Args:
        run_id (str):
        with_ (list[str]):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Comparison | Problem
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        with_=with_,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    with_: list[str],
) -> Response[Comparison | Problem]:
    """Compare runs with this one

     Compares each of the runs in `with` with this one, the baseline, on the questions that both graded:
    exact McNemar test for scores of 0 or 1 tried once, a seeded bootstrap
    over the questions otherwise. Runs of different benchmarks, versions or data are refused
    (`not_comparable`), and so are runs that share no graded question.

    Args:
        run_id (str):
        with_ (list[str]):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Comparison | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            with_=with_,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    with_: list[str],
) -> Comparison | Problem | None:
    """Compare runs with this one

     Compares each of the runs in `with` with this one, the baseline, on the questions that both graded:
    exact McNemar test for scores of 0 or 1 tried once, a seeded bootstrap
    over the questions otherwise. Runs of different benchmarks, versions or data are refused
    (`not_comparable`), and so are runs that share no graded question.

    Args:
        run_id (str):
        with_ (list[str]):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Comparison | Problem
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            with_=with_,
        )
    ).parsed
