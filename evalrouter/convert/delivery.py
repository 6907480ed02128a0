"""Delivery keys, leases and what is said of them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import field, frozen
from evalrouter_api import models as wire
from evalrouter_api.api.delivery import (
    add_notes,
    create_delivery_key,
    fail_task,
    finish_task,
    lease_tasks,
    release_delivery_key,
    renew_leases,
    return_task,
    submit_answer,
)
from evalrouter_api.types import UNSET

from evalrouter.convert.request import Request, nothing


@frozen
class DeliveryKey:
    """A key that can only deliver one run's tasks.

    Attributes:
        id: Exact ID.
        secret: The key.
    """

    id: str
    secret: str = field(repr=False)


@frozen
class Lease:
    """The right to work on a task for a while.

    Attributes:
        id: Exact ID.
        run_id: The run.
        task_id: The task.
        index: Its place in the run, from 0.
        repeat: From 0.
        inputs: Its inputs.
        gateway_key: A key for its model calls.
        gateway_base_url: Where they go.
        model: The model's name.
        task_seconds: The most time for it.
    """

    id: str
    run_id: str
    task_id: str
    index: int
    repeat: int
    inputs: Mapping[str, Any]
    gateway_key: str = field(repr=False)
    gateway_base_url: str
    model: str
    task_seconds: float


@frozen
class LeaseBatch:
    """What a client that asks for tasks gets.

    Attributes:
        leases: The leases.
        run_status: The run's status.
        status_reason: Why it is that.
        unfinished: Tasks that have no result yet.
    """

    leases: tuple[Lease, ...]
    run_status: str
    status_reason: str | None
    unfinished: int


@frozen
class LeaseRenewal:
    """Which leases go on.

    Attributes:
        expires_at: Until when.
        ended: Those that are over, with the reason.
        run_status: The run's status.
    """

    expires_at: datetime
    ended: Mapping[str, str]
    run_status: str


def new_key(run_id: str) -> Request[DeliveryKey]:
    """A delivery key."""
    return Request(create_delivery_key.get_kwargs(run_id), create_delivery_key.parse_response, _key)


def release_key(key_id: str) -> Request[None]:
    """The end of a delivery key."""
    return Request(release_delivery_key.get_kwargs(key_id), release_delivery_key.parse_response, nothing)


def lease(run_id: str, count: int) -> Request[LeaseBatch]:
    """New leases; the server may first have to load the benchmark."""
    body = wire.LeaseRequest(count=count)
    return Request(lease_tasks.get_kwargs(run_id, body=body), lease_tasks.parse_response, _batch, may_fetch=True)


def renew(run_id: str, lease_ids: Collection[str]) -> Request[LeaseRenewal]:
    """The going on of leases."""
    body = wire.LeaseRenewalRequest(lease_ids=list(lease_ids))
    return Request(renew_leases.get_kwargs(run_id, body=body), renew_leases.parse_response, _renewal)


def submit(
    lease_id: str, output: str, files: Mapping[str, str | None] | None = None, left_out: Sequence[str] = ()
) -> Request[None]:
    """The answer, with what was changed of the task's files where it came with files."""
    changed = [wire.SubmittedFile(path=path, text=text) for path, text in (files or {}).items()]
    body = wire.Submission(
        output=output, files=UNSET if files is None else changed, left_out=UNSET if files is None else list(left_out)
    )
    return Request(submit_answer.get_kwargs(lease_id, body=body), submit_answer.parse_response, nothing)


def read_lease(document: Mapping[str, Any]) -> Lease:
    """A lease that did not come as an answer.

    Args:
        document: The lease as the contract has it.
    """
    return _lease(wire.Lease.from_dict(document))


def finish(lease_id: str) -> Request[None]:
    """The end of the work."""
    return Request(finish_task.get_kwargs(lease_id), finish_task.parse_response, nothing)


def fail(lease_id: str, code: str, message: str, details: str | None) -> Request[None]:
    """The giving up of a task."""
    body = wire.TaskFailure(code=code, message=message, details=UNSET if details is None else details)
    return Request(fail_task.get_kwargs(lease_id, body=body), fail_task.parse_response, nothing)


def give_back(lease_id: str) -> Request[None]:
    """The giving back of a task."""
    return Request(return_task.get_kwargs(lease_id), return_task.parse_response, nothing)


def notes(lease_id: str, texts: Sequence[str]) -> Request[None]:
    """Progress notes."""
    body = wire.TaskNotes(notes=list(texts))
    return Request(add_notes.get_kwargs(lease_id, body=body), add_notes.parse_response, nothing)


def _key(found: wire.DeliveryKey) -> DeliveryKey:
    return DeliveryKey(found.id, found.secret)


def _batch(found: wire.LeaseBatch) -> LeaseBatch:
    return LeaseBatch(tuple(map(_lease, found.leases)), found.run_status, found.status_reason, found.unfinished)


def _lease(found: wire.Lease) -> Lease:
    return Lease(
        id=found.id,
        run_id=found.run_id,
        task_id=found.task_id,
        index=found.index,
        repeat=found.repeat,
        inputs=found.inputs.to_dict(),
        gateway_key=found.gateway_key,
        gateway_base_url=found.gateway_base_url,
        model=found.model,
        task_seconds=found.task_seconds,
    )


def _renewal(found: wire.LeaseRenewal) -> LeaseRenewal:
    ended = {each.id: each.reason or each.status for each in found.ended}
    return LeaseRenewal(found.expires_at, ended, found.run_status)
