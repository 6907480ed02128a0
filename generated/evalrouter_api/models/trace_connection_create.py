# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="TraceConnectionCreate")


@_attrs_define
class TraceConnectionCreate:
    """
    Attributes:
        name (str):
        kind (Literal['trace']):
        stores_content (bool | Unset): Whether inputs, outputs and error texts are stored; else they are dropped on
            arrival. Default: True.
        retention_days (int | Unset): Days after its last span that a trace is kept. Default: 90.
    """

    name: str
    kind: Literal["trace"]
    stores_content: bool | Unset = True
    retention_days: int | Unset = 90

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        kind = self.kind

        stores_content = self.stores_content

        retention_days = self.retention_days

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "kind": kind,
            }
        )
        if stores_content is not UNSET:
            field_dict["stores_content"] = stores_content
        if retention_days is not UNSET:
            field_dict["retention_days"] = retention_days

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        kind = cast(Literal["trace"], d.pop("kind"))
        if kind != "trace":
            raise ValueError(f"kind must match const 'trace', got '{kind}'")

        stores_content = d.pop("stores_content", UNSET)

        retention_days = d.pop("retention_days", UNSET)

        trace_connection_create = cls(
            name=name,
            kind=kind,
            stores_content=stores_content,
            retention_days=retention_days,
        )

        return trace_connection_create
