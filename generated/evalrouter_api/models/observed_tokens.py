# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ObservedTokens")


@_attrs_define
class ObservedTokens:
    """Counters as the source reports them; null where it reports none. A trace's are the sums over its model and embedding
    spans.

        Attributes:
            input_ (int | None):
            output (int | None):
            cache_read (int | None):
            cache_write (int | None):
            reasoning (int | None):
            total (int | None):
    """

    input_: int | None
    output: int | None
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None
    total: int | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        input_: int | None
        input_ = self.input_

        output: int | None
        output = self.output

        cache_read: int | None
        cache_read = self.cache_read

        cache_write: int | None
        cache_write = self.cache_write

        reasoning: int | None
        reasoning = self.reasoning

        total: int | None
        total = self.total

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "input": input_,
                "output": output,
                "cache_read": cache_read,
                "cache_write": cache_write,
                "reasoning": reasoning,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_input_(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        input_ = _parse_input_(d.pop("input"))

        def _parse_output(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        output = _parse_output(d.pop("output"))

        def _parse_cache_read(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        cache_read = _parse_cache_read(d.pop("cache_read"))

        def _parse_cache_write(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        cache_write = _parse_cache_write(d.pop("cache_write"))

        def _parse_reasoning(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        reasoning = _parse_reasoning(d.pop("reasoning"))

        def _parse_total(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        total = _parse_total(d.pop("total"))

        observed_tokens = cls(
            input_=input_,
            output=output,
            cache_read=cache_read,
            cache_write=cache_write,
            reasoning=reasoning,
            total=total,
        )

        observed_tokens.additional_properties = d
        return observed_tokens

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
