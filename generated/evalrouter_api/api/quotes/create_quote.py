# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.quote import Quote
from ...models.run_spec import RunSpec
from ...types import UNSET, Response, Unset


def get_kwargs(
    *,
    body: RunSpec,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/quotes",
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | Quote | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 201:
        response_201 = Quote.from_dict(response.json())

        return response_201

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())

        return response_409

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
) -> Response[Problem | Quote]:
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
    body: RunSpec,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Quote]:
    """Quote a run

     Freezes a plan and its maximum charge, and starts nothing. Above `max_cost_microusd` the answer is
    still a quote, with `within_max_cost` false, the
    shortfall and the largest sample that fits.

    Args:
        idempotency_key (str | Unset):
        body (RunSpec): What to evaluate, on what, and for how much at most. `model_id` is
            required, but for a remote agent, which brings its own model and takes none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Quote]
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
    body: RunSpec,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Quote | None:
    """Quote a run

     Freezes a plan and its maximum charge, and starts nothing. Above `max_cost_microusd` the answer is
    still a quote, with `within_max_cost` false, the
    shortfall and the largest sample that fits.

    Args:
        idempotency_key (str | Unset):
        body (RunSpec): What to evaluate, on what, and for how much at most. `model_id` is
            required, but for a remote agent, which brings its own model and takes none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Quote
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: RunSpec,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Quote]:
    """Quote a run

     Freezes a plan and its maximum charge, and starts nothing. Above `max_cost_microusd` the answer is
    still a quote, with `within_max_cost` false, the
    shortfall and the largest sample that fits.

    Args:
        idempotency_key (str | Unset):
        body (RunSpec): What to evaluate, on what, and for how much at most. `model_id` is
            required, but for a remote agent, which brings its own model and takes none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Quote]
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
    body: RunSpec,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Quote | None:
    """Quote a run

     Freezes a plan and its maximum charge, and starts nothing. Above `max_cost_microusd` the answer is
    still a quote, with `within_max_cost` false, the
    shortfall and the largest sample that fits.

    Args:
        idempotency_key (str | Unset):
        body (RunSpec): What to evaluate, on what, and for how much at most. `model_id` is
            required, but for a remote agent, which brings its own model and takes none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Quote
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
