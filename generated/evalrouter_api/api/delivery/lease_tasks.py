# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.lease_batch import LeaseBatch
from ...models.lease_request import LeaseRequest
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def get_kwargs(
    run_id: str,
    *,
    body: LeaseRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/runs/{run_id}/leases".format(
            run_id=quote(str(run_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> LeaseBatch | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = LeaseBatch.from_dict(response.json())

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
) -> Response[LeaseBatch | Problem]:
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
    client: AuthenticatedClient,
    body: LeaseRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[LeaseBatch | Problem]:
    """Lease tasks

     Gives up to `count` tasks, within the run's concurrency, each with a gateway key of its own that
    dies with the lease. No tasks come while none is pending; ask again
    until `run_status` says that the run has ended, or `unfinished` is 0. A run that is paused because
    no client delivered goes on.

    Args:
        run_id (str):
        idempotency_key (str | Unset):
        body (LeaseRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LeaseBatch | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient,
    body: LeaseRequest,
    idempotency_key: str | Unset = UNSET,
) -> LeaseBatch | Problem | None:
    """Lease tasks

     Gives up to `count` tasks, within the run's concurrency, each with a gateway key of its own that
    dies with the lease. No tasks come while none is pending; ask again
    until `run_status` says that the run has ended, or `unfinished` is 0. A run that is paused because
    no client delivered goes on.

    Args:
        run_id (str):
        idempotency_key (str | Unset):
        body (LeaseRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LeaseBatch | Problem
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient,
    body: LeaseRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[LeaseBatch | Problem]:
    """Lease tasks

     Gives up to `count` tasks, within the run's concurrency, each with a gateway key of its own that
    dies with the lease. No tasks come while none is pending; ask again
    until `run_status` says that the run has ended, or `unfinished` is 0. A run that is paused because
    no client delivered goes on.

    Args:
        run_id (str):
        idempotency_key (str | Unset):
        body (LeaseRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LeaseBatch | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient,
    body: LeaseRequest,
    idempotency_key: str | Unset = UNSET,
) -> LeaseBatch | Problem | None:
    """Lease tasks

     Gives up to `count` tasks, within the run's concurrency, each with a gateway key of its own that
    dies with the lease. No tasks come while none is pending; ask again
    until `run_status` says that the run has ended, or `unfinished` is 0. A run that is paused because
    no client delivered goes on.

    Args:
        run_id (str):
        idempotency_key (str | Unset):
        body (LeaseRequest):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LeaseBatch | Problem
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
