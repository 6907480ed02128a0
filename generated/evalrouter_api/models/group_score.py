# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="GroupScore")


@_attrs_define
class GroupScore:
    """
    Attributes:
        name (str):
        score (float | None): The primary metric over the group's graded tasks.
        n (int):
        standard_error (float | None):
        low (float | None): Lower end of the 95% interval.
        high (float | None): Upper end of the 95% interval.
        method (None | str): How the interval was made, as of a metric.
    """

    name: str
    score: float | None
    n: int
    standard_error: float | None
    low: float | None
    high: float | None
    method: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        score: float | None
        score = self.score

        n = self.n

        standard_error: float | None
        standard_error = self.standard_error

        low: float | None
        low = self.low

        high: float | None
        high = self.high

        method: None | str
        method = self.method

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "name": name,
                "score": score,
                "n": n,
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
        name = d.pop("name")

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))

        n = d.pop("n")

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

        def _parse_method(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        method = _parse_method(d.pop("method"))

        group_score = cls(
            name=name,
            score=score,
            n=n,
            standard_error=standard_error,
            low=low,
            high=high,
            method=method,
        )

        group_score.additional_properties = d
        return group_score

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
