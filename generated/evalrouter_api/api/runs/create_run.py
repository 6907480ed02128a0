# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.run import Run
from ...models.run_from_quote import RunFromQuote
from ...models.run_from_spec import RunFromSpec
from ...types import UNSET, Response, Unset


def get_kwargs(
    *,
    body: RunFromQuote | RunFromSpec,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/runs",
    }

    if isinstance(body, RunFromSpec):
        _kwargs["json"] = body.to_dict()
    else:
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | Run | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = Run.from_dict(response.json())

        return response_200

    if response.status_code == 201:
        response_201 = Run.from_dict(response.json())

        return response_201

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 402:
        response_402 = Problem.from_dict(response.json())

        return response_402

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
) -> Response[Problem | Run]:
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
    body: RunFromQuote | RunFromSpec,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Run]:
    """Start a run

     Places a hold of the run's cap on the wallet and starts the work. Refused before anything starts or
    is charged where the quote's maximum charge is above
    `max_cost_microusd` (`max_cost_too_low`, whose details carry the quote, the shortfall and what fits)
    or the wallet or the key's ceiling cannot cover it.

    Repeating a create never starts a second run: requests that mean the same run (or carry the same
    `dedupe_key`) get the first one, with status 200.

    Args:
        idempotency_key (str | Unset):
        body (RunFromQuote | RunFromSpec):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Run]
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
    body: RunFromQuote | RunFromSpec,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Run | None:
    """Start a run

     Places a hold of the run's cap on the wallet and starts the work. Refused before anything starts or
    is charged where the quote's maximum charge is above
    `max_cost_microusd` (`max_cost_too_low`, whose details carry the quote, the shortfall and what fits)
    or the wallet or the key's ceiling cannot cover it.

    Repeating a create never starts a second run: requests that mean the same run (or carry the same
    `dedupe_key`) get the first one, with status 200.

    Args:
        idempotency_key (str | Unset):
        body (RunFromQuote | RunFromSpec):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Run
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: RunFromQuote | RunFromSpec,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | Run]:
    """Start a run

     Places a hold of the run's cap on the wallet and starts the work. Refused before anything starts or
    is charged where the quote's maximum charge is above
    `max_cost_microusd` (`max_cost_too_low`, whose details carry the quote, the shortfall and what fits)
    or the wallet or the key's ceiling cannot cover it.

    Repeating a create never starts a second run: requests that mean the same run (or carry the same
    `dedupe_key`) get the first one, with status 200.

    Args:
        idempotency_key (str | Unset):
        body (RunFromQuote | RunFromSpec):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | Run]
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
    body: RunFromQuote | RunFromSpec,
    idempotency_key: str | Unset = UNSET,
) -> Problem | Run | None:
    """Start a run

     Places a hold of the run's cap on the wallet and starts the work. Refused before anything starts or
    is charged where the quote's maximum charge is above
    `max_cost_microusd` (`max_cost_too_low`, whose details carry the quote, the shortfall and what fits)
    or the wallet or the key's ceiling cannot cover it.

    Repeating a create never starts a second run: requests that mean the same run (or carry the same
    `dedupe_key`) get the first one, with status 200.

    Args:
        idempotency_key (str | Unset):
        body (RunFromQuote | RunFromSpec):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | Run
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
