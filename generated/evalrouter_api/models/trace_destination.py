# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.trace_limits import TraceLimits


T = TypeVar("T", bound="TraceDestination")


@_attrs_define
class TraceDestination:
    """
    Attributes:
        connection_id (str):
        workspace_id (str):
        name (str):
        stores_content (bool):
        retention_days (int):
        limits (TraceLimits):
    """

    connection_id: str
    workspace_id: str
    name: str
    stores_content: bool
    retention_days: int
    limits: TraceLimits
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        connection_id = self.connection_id

        workspace_id = self.workspace_id

        name = self.name

        stores_content = self.stores_content

        retention_days = self.retention_days

        limits = self.limits.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "connection_id": connection_id,
                "workspace_id": workspace_id,
                "name": name,
                "stores_content": stores_content,
                "retention_days": retention_days,
                "limits": limits,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trace_limits import TraceLimits  # noqa: PLC0415

        d = dict(src_dict)
        connection_id = d.pop("connection_id")

        workspace_id = d.pop("workspace_id")

        name = d.pop("name")

        stores_content = d.pop("stores_content")

        retention_days = d.pop("retention_days")

        limits = TraceLimits.from_dict(d.pop("limits"))

        trace_destination = cls(
            connection_id=connection_id,
            workspace_id=workspace_id,
            name=name,
            stores_content=stores_content,
            retention_days=retention_days,
            limits=limits,
        )

        trace_destination.additional_properties = d
        return trace_destination

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
