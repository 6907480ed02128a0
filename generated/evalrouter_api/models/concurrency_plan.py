# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ConcurrencyPlan")


@_attrs_define
class ConcurrencyPlan:
    """
    Attributes:
        requested (int | None):
        admitted (int):
        reason (str): `requested`, `auto`, `task_count`, `gateway_limit`, `adapter_limit` or `budget_limit`.
    """

    requested: int | None
    admitted: int
    reason: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        requested: int | None
        requested = self.requested

        admitted = self.admitted

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "requested": requested,
                "admitted": admitted,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_requested(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        requested = _parse_requested(d.pop("requested"))

        admitted = d.pop("admitted")

        reason = d.pop("reason")

        concurrency_plan = cls(
            requested=requested,
            admitted=admitted,
            reason=reason,
        )

        concurrency_plan.additional_properties = d
        return concurrency_plan

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
