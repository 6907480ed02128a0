# Generated from openapi.yaml by scripts/regen; do not edit.

from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.trace_batch import TraceBatch
from ...models.trace_batch_receipt import TraceBatchReceipt
from ...types import UNSET, Response, Unset


def get_kwargs(
    connection_id: str,
    *,
    body: TraceBatch,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    """The request, as the arguments of httpx's `request`."""
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/trace-connections/{connection_id}/batches".format(
            connection_id=quote(str(connection_id), safe=""),
        ),
    }
    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"
    _kwargs["headers"] = headers
    return _kwargs


def parse_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Problem | TraceBatchReceipt | None:
    """What the response's body holds; None, or an error if the client wants one, for a status outside the contract."""
    if response.status_code == 200:
        response_200 = TraceBatchReceipt.from_dict(response.json())

        return response_200

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

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if client is not None and client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    return None


def build_response(
    *, response: httpx.Response, client: AuthenticatedClient | Client | None = None
) -> Response[Problem | TraceBatchReceipt]:
    """The response with its body parsed."""
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=parse_response(client=client, response=response),
    )


def sync_detailed(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: TraceBatch,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | TraceBatchReceipt]:
    """Send spans

     With the connection's own key. All of a batch is taken or nothing.

    A span's **content digest** is the sha256, in lowercase hex, of the span as sent, written as JSON in
    ASCII (other characters as `\\uxxxx`) with sorted keys and no spaces, as
    Python's `json.dumps(span, sort_keys=True, separators=(",", ":"))` writes it. The batch's `digest`
    is the sha256 of its spans' content digests in the order sent,
    joined by `\\n`. A batch again with the same ID and digest succeeds and inserts nothing; the same ID
    with another digest is refused (`batch_conflict`). A span
    that is there with the same content digest inserts nothing; with another one it is refused
    (`span_conflict`), and with it the batch.

    `input`, `output` and `error` are stored only where the connection stores content, else dropped and
    counted. A batch's own ID makes it safe to repeat: an
    `Idempotency-Key` is taken and adds nothing.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        body (TraceBatch):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TraceBatchReceipt]
    """

    response = client.get_httpx_client().request(
        **get_kwargs(
            connection_id=connection_id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


def sync(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: TraceBatch,
    idempotency_key: str | Unset = UNSET,
) -> Problem | TraceBatchReceipt | None:
    """Send spans

     With the connection's own key. All of a batch is taken or nothing.

    A span's **content digest** is the sha256, in lowercase hex, of the span as sent, written as JSON in
    ASCII (other characters as `\\uxxxx`) with sorted keys and no spaces, as
    Python's `json.dumps(span, sort_keys=True, separators=(",", ":"))` writes it. The batch's `digest`
    is the sha256 of its spans' content digests in the order sent,
    joined by `\\n`. A batch again with the same ID and digest succeeds and inserts nothing; the same ID
    with another digest is refused (`batch_conflict`). A span
    that is there with the same content digest inserts nothing; with another one it is refused
    (`span_conflict`), and with it the batch.

    `input`, `output` and `error` are stored only where the connection stores content, else dropped and
    counted. A batch's own ID makes it safe to repeat: an
    `Idempotency-Key` is taken and adds nothing.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        body (TraceBatch):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TraceBatchReceipt
    """

    return sync_detailed(
        connection_id=connection_id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: TraceBatch,
    idempotency_key: str | Unset = UNSET,
) -> Response[Problem | TraceBatchReceipt]:
    """Send spans

     With the connection's own key. All of a batch is taken or nothing.

    A span's **content digest** is the sha256, in lowercase hex, of the span as sent, written as JSON in
    ASCII (other characters as `\\uxxxx`) with sorted keys and no spaces, as
    Python's `json.dumps(span, sort_keys=True, separators=(",", ":"))` writes it. The batch's `digest`
    is the sha256 of its spans' content digests in the order sent,
    joined by `\\n`. A batch again with the same ID and digest succeeds and inserts nothing; the same ID
    with another digest is refused (`batch_conflict`). A span
    that is there with the same content digest inserts nothing; with another one it is refused
    (`span_conflict`), and with it the batch.

    `input`, `output` and `error` are stored only where the connection stores content, else dropped and
    counted. A batch's own ID makes it safe to repeat: an
    `Idempotency-Key` is taken and adds nothing.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        body (TraceBatch):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | TraceBatchReceipt]
    """

    response = await client.get_async_httpx_client().request(
        **get_kwargs(
            connection_id=connection_id,
            body=body,
            idempotency_key=idempotency_key,
        )
    )
    return build_response(client=client, response=response)


async def asyncio(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: TraceBatch,
    idempotency_key: str | Unset = UNSET,
) -> Problem | TraceBatchReceipt | None:
    """Send spans

     With the connection's own key. All of a batch is taken or nothing.

    A span's **content digest** is the sha256, in lowercase hex, of the span as sent, written as JSON in
    ASCII (other characters as `\\uxxxx`) with sorted keys and no spaces, as
    Python's `json.dumps(span, sort_keys=True, separators=(",", ":"))` writes it. The batch's `digest`
    is the sha256 of its spans' content digests in the order sent,
    joined by `\\n`. A batch again with the same ID and digest succeeds and inserts nothing; the same ID
    with another digest is refused (`batch_conflict`). A span
    that is there with the same content digest inserts nothing; with another one it is refused
    (`span_conflict`), and with it the batch.

    `input`, `output` and `error` are stored only where the connection stores content, else dropped and
    counted. A batch's own ID makes it safe to repeat: an
    `Idempotency-Key` is taken and adds nothing.

    Args:
        connection_id (str):
        idempotency_key (str | Unset):
        body (TraceBatch):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | TraceBatchReceipt
    """

    return (
        await asyncio_detailed(
            connection_id=connection_id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
