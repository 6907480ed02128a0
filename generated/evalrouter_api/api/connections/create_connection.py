# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.a2a_connection_create import A2AConnectionCreate
from ...models.connection import Connection
from ...models.model_connection_create import ModelConnectionCreate
from ...models.problem import Problem
from ...models.trace_connection_create import TraceConnectionCreate
from ...types import UNSET, Response, Unset


def get_kwargs(
    *,
    body: A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/connections",
    }

    if isinstance(body, ModelConnectionCreate):
        _kwargs["json"] = body.to_dict()
    elif isinstance(body, TraceConnectionCreate):
        _kwargs["json"] = body.to_dict()
    else:
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Connection | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 201:
        response_201 = Connection.from_dict(response.json())

        return response_201

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

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
) -> Response[Connection | Problem]:
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
    body: A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate,
    idempotency_key: str | Unset = UNSET,
) -> Response[Connection | Problem]:
    """Connect a model endpoint, a remote agent, or agents that send traces

     `model`: the model of an OpenAI-compatible endpoint is then named `connection:NAME` wherever a model
    is named. State its price, or that it is free: a
    model without a price cannot be run. `trace`: the answer's `secret` is the connection's restricted
    key, shown only now.
    `a2a`: an agent that speaks A2A, which runs name by the connection. Nothing is sent to it yet.

    Args:
        idempotency_key (str | Unset):
        body (A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Connection | Problem]
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
    body: A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate,
    idempotency_key: str | Unset = UNSET,
) -> Connection | Problem | None:
    """Connect a model endpoint, a remote agent, or agents that send traces

     `model`: the model of an OpenAI-compatible endpoint is then named `connection:NAME` wherever a model
    is named. State its price, or that it is free: a
    model without a price cannot be run. `trace`: the answer's `secret` is the connection's restricted
    key, shown only now.
    `a2a`: an agent that speaks A2A, which runs name by the connection. Nothing is sent to it yet.

    Args:
        idempotency_key (str | Unset):
        body (A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Connection | Problem
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate,
    idempotency_key: str | Unset = UNSET,
) -> Response[Connection | Problem]:
    """Connect a model endpoint, a remote agent, or agents that send traces

     `model`: the model of an OpenAI-compatible endpoint is then named `connection:NAME` wherever a model
    is named. State its price, or that it is free: a
    model without a price cannot be run. `trace`: the answer's `secret` is the connection's restricted
    key, shown only now.
    `a2a`: an agent that speaks A2A, which runs name by the connection. Nothing is sent to it yet.

    Args:
        idempotency_key (str | Unset):
        body (A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Connection | Problem]
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
    body: A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate,
    idempotency_key: str | Unset = UNSET,
) -> Connection | Problem | None:
    """Connect a model endpoint, a remote agent, or agents that send traces

     `model`: the model of an OpenAI-compatible endpoint is then named `connection:NAME` wherever a model
    is named. State its price, or that it is free: a
    model without a price cannot be run. `trace`: the answer's `secret` is the connection's restricted
    key, shown only now.
    `a2a`: an agent that speaks A2A, which runs name by the connection. Nothing is sent to it yet.

    Args:
        idempotency_key (str | Unset):
        body (A2AConnectionCreate | ModelConnectionCreate | TraceConnectionCreate):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Connection | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
