# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PlanLine")


@_attrs_define
class PlanLine:
    """One step of how the maximum charge comes about.

    Attributes:
        label (str):
        detail (str):
        amount_microusd (int | None):
    """

    label: str
    detail: str
    amount_microusd: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        detail = self.detail

        amount_microusd: int | None
        amount_microusd = self.amount_microusd

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "label": label,
                "detail": detail,
                "amount_microusd": amount_microusd,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label = d.pop("label")

        detail = d.pop("detail")

        def _parse_amount_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        amount_microusd = _parse_amount_microusd(d.pop("amount_microusd"))

        plan_line = cls(
            label=label,
            detail=detail,
            amount_microusd=amount_microusd,
        )

        plan_line.additional_properties = d
        return plan_line

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
