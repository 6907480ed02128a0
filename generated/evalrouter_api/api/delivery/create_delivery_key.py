# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.delivery_key import DeliveryKey
from ...models.problem import Problem
from ...types import UNSET, Response, Unset


def get_kwargs(
    run_id: str,
    *,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/runs/{run_id}/delivery-keys".format(
            run_id=quote(str(run_id), safe=""),
        ),
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> DeliveryKey | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 201:
        response_201 = DeliveryKey.from_dict(response.json())

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

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[DeliveryKey | Problem]:
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
    idempotency_key: str | Unset = UNSET,
) -> Response[DeliveryKey | Problem]:
    """Make a delivery key for a run

     The key can only deliver this run's tasks: lease them, hand in answers, end the work on them. It
    dies with the run. Refused (`no_agent`) where the run has no
    agent that a client runs: the server works on it itself, or calls a remote one.

    Args:
        run_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeliveryKey | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> DeliveryKey | Problem | None:
    """Make a delivery key for a run

     The key can only deliver this run's tasks: lease them, hand in answers, end the work on them. It
    dies with the run. Refused (`no_agent`) where the run has no
    agent that a client runs: the server works on it itself, or calls a remote one.

    Args:
        run_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeliveryKey | Problem
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> Response[DeliveryKey | Problem]:
    """Make a delivery key for a run

     The key can only deliver this run's tasks: lease them, hand in answers, end the work on them. It
    dies with the run. Refused (`no_agent`) where the run has no
    agent that a client runs: the server works on it itself, or calls a remote one.

    Args:
        run_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DeliveryKey | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    idempotency_key: str | Unset = UNSET,
) -> DeliveryKey | Problem | None:
    """Make a delivery key for a run

     The key can only deliver this run's tasks: lease them, hand in answers, end the work on them. It
    dies with the run. Refused (`no_agent`) where the run has no
    agent that a client runs: the server works on it itself, or calls a remote one.

    Args:
        run_id (str):
        idempotency_key (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DeliveryKey | Problem
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            idempotency_key=idempotency_key,
        )
    ).parsed
