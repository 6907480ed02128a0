# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="LedgerDifference")


@_attrs_define
class LedgerDifference:
    """
    Attributes:
        what (str):
        reference (str):
        expected_microusd (int): Micro-USD; 1,000,000 is one dollar.
        found_microusd (int): Micro-USD; 1,000,000 is one dollar.
    """

    what: str
    reference: str
    expected_microusd: int
    found_microusd: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        what = self.what

        reference = self.reference

        expected_microusd = self.expected_microusd

        found_microusd = self.found_microusd

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "what": what,
                "reference": reference,
                "expected_microusd": expected_microusd,
                "found_microusd": found_microusd,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        what = d.pop("what")

        reference = d.pop("reference")

        expected_microusd = d.pop("expected_microusd")

        found_microusd = d.pop("found_microusd")

        ledger_difference = cls(
            what=what,
            reference=reference,
            expected_microusd=expected_microusd,
            found_microusd=found_microusd,
        )

        ledger_difference.additional_properties = d
        return ledger_difference

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
