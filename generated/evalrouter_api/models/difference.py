# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Difference")


@_attrs_define
class Difference:
    """The run's score less the baseline's.

    Attributes:
        value (float):
        standard_error (float | None):
        low (float | None): Lower end of the 95% interval.
        high (float | None): Upper end of the 95% interval.
        method (str): How the interval was made: `newcombe`, `bootstrap`, or `wilson` where all questions differ by the
            same.
    """

    value: float
    standard_error: float | None
    low: float | None
    high: float | None
    method: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        value = self.value

        standard_error: float | None
        standard_error = self.standard_error

        low: float | None
        low = self.low

        high: float | None
        high = self.high

        method = self.method

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "value": value,
                "standard_error": standard_error,
                "low": low,
                "high": high,
                "method": method,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        value = d.pop("value")

        def _parse_standard_error(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        standard_error = _parse_standard_error(d.pop("standard_error"))

        def _parse_low(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        low = _parse_low(d.pop("low"))

        def _parse_high(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        high = _parse_high(d.pop("high"))

        method = d.pop("method")

        difference = cls(
            value=value,
            standard_error=standard_error,
            low=low,
            high=high,
            method=method,
        )

        difference.additional_properties = d
        return difference

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
