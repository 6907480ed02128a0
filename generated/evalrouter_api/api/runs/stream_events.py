# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from io import BytesIO
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.event_scope_value import EventScopeValue
from ...models.problem import Problem
from ...types import UNSET, File, Response, Unset


def get_kwargs(
    run_id: str,
    *,
    after: int | Unset = 0,
    scope: EventScopeValue | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id

    params: dict[str, Any] = {}

    params["after"] = after

    json_scope: str | Unset = UNSET
    if not isinstance(scope, Unset):
        json_scope = scope.value

    params["scope"] = json_scope

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/runs/{run_id}/events/stream".format(
            run_id=quote(str(run_id), safe=""),
        ),
        "params": params,
    }
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> File | Problem | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = File(payload=BytesIO(response.content))

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
) -> Response[File | Problem]:
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
    after: int | Unset = 0,
    scope: EventScopeValue | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> Response[File | Problem]:
    """Follow a run's events

     Server-sent events: `id` is the event's `seq`, `event` its type, `data` a `RunEvent`. Reconnect with
    `Last-Event-ID` and nothing is skipped. The stream
    ends after the event that ends or pauses the run; a comment is sent every 10 seconds.

    Args:
        run_id (str):
        after (int | Unset):  Default: 0.
        scope (EventScopeValue | Unset):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File | Problem]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            after=after,
            scope=scope,
            last_event_id=last_event_id,
        )
    )
    return build_response(client=client, response=response)


def sync(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    after: int | Unset = 0,
    scope: EventScopeValue | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> File | Problem | None:
    """Follow a run's events

     Server-sent events: `id` is the event's `seq`, `event` its type, `data` a `RunEvent`. Reconnect with
    `Last-Event-ID` and nothing is skipped. The stream
    ends after the event that ends or pauses the run; a comment is sent every 10 seconds.

    Args:
        run_id (str):
        after (int | Unset):  Default: 0.
        scope (EventScopeValue | Unset):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File | Problem
    """

    return sync_detailed(
        run_id=run_id,
        client=client,
        after=after,
        scope=scope,
        last_event_id=last_event_id,
    ).parsed


async def asyncio_detailed(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    after: int | Unset = 0,
    scope: EventScopeValue | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> Response[File | Problem]:
    """Follow a run's events

     Server-sent events: `id` is the event's `seq`, `event` its type, `data` a `RunEvent`. Reconnect with
    `Last-Event-ID` and nothing is skipped. The stream
    ends after the event that ends or pauses the run; a comment is sent every 10 seconds.

    Args:
        run_id (str):
        after (int | Unset):  Default: 0.
        scope (EventScopeValue | Unset):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File | Problem]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            run_id=run_id,
            after=after,
            scope=scope,
            last_event_id=last_event_id,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    run_id: str,
    *,
    client: AuthenticatedClient | Client,
    after: int | Unset = 0,
    scope: EventScopeValue | Unset = UNSET,
    last_event_id: str | Unset = UNSET,
) -> File | Problem | None:
    """Follow a run's events

     Server-sent events: `id` is the event's `seq`, `event` its type, `data` a `RunEvent`. Reconnect with
    `Last-Event-ID` and nothing is skipped. The stream
    ends after the event that ends or pauses the run; a comment is sent every 10 seconds.

    Args:
        run_id (str):
        after (int | Unset):  Default: 0.
        scope (EventScopeValue | Unset):
        last_event_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File | Problem
    """

    return (
        await asyncio_detailed(
            run_id=run_id,
            client=client,
            after=after,
            scope=scope,
            last_event_id=last_event_id,
        )
    ).parsed
