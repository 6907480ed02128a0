# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PairedTest")


@_attrs_define
class PairedTest:
    """
    Attributes:
        name (str): `mcnemar_exact`, `paired_bootstrap`, or `sign_exact` where all questions differ by the same.
        p_value (float):
        p_value_adjusted (float): Adjusted for the number of comparisons (Holm); the same for one.
    """

    name: str
    p_value: float
    p_value_adjusted: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        p_value = self.p_value

        p_value_adjusted = self.p_value_adjusted

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "p_value": p_value,
                "p_value_adjusted": p_value_adjusted,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        p_value = d.pop("p_value")

        p_value_adjusted = d.pop("p_value_adjusted")

        paired_test = cls(
            name=name,
            p_value=p_value,
            p_value_adjusted=p_value_adjusted,
        )

        paired_test.additional_properties = d
        return paired_test

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
