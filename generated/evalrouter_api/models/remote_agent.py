# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="RemoteAgent")


@_attrs_define
class RemoteAgent:
    """An A2A agent that the server calls over a connection. What it spends is outside the meter: the maximum charge is
    that of the benchmark's judge, 0 where
    there is none, and the run has the flag `external_cost`.

        Attributes:
            kind (Literal['remote']):
            connection_id (str):
            task_seconds (float | Unset): The most time for a task, in seconds; not part of what makes two runs the same.
    """

    kind: Literal["remote"]
    connection_id: str
    task_seconds: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        connection_id = self.connection_id

        task_seconds = self.task_seconds

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "connection_id": connection_id,
            }
        )
        if task_seconds is not UNSET:
            field_dict["task_seconds"] = task_seconds

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["remote"], d.pop("kind"))
        if kind != "remote":
            raise ValueError(f"kind must match const 'remote', got '{kind}'")

        connection_id = d.pop("connection_id")

        task_seconds = d.pop("task_seconds", UNSET)

        remote_agent = cls(
            kind=kind,
            connection_id=connection_id,
            task_seconds=task_seconds,
        )

        return remote_agent
