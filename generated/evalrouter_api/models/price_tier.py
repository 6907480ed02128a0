# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PriceTier")


@_attrs_define
class PriceTier:
    """Prices of a call whose input is longer than `above_input_tokens`.

    Attributes:
        above_input_tokens (int):
        input_usd_per_mtok (str):
        cached_input_usd_per_mtok (None | str):
        cache_write_usd_per_mtok (None | str):
        output_usd_per_mtok (str):
    """

    above_input_tokens: int
    input_usd_per_mtok: str
    cached_input_usd_per_mtok: None | str
    cache_write_usd_per_mtok: None | str
    output_usd_per_mtok: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        above_input_tokens = self.above_input_tokens

        input_usd_per_mtok = self.input_usd_per_mtok

        cached_input_usd_per_mtok: None | str
        cached_input_usd_per_mtok = self.cached_input_usd_per_mtok

        cache_write_usd_per_mtok: None | str
        cache_write_usd_per_mtok = self.cache_write_usd_per_mtok

        output_usd_per_mtok = self.output_usd_per_mtok

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "above_input_tokens": above_input_tokens,
                "input_usd_per_mtok": input_usd_per_mtok,
                "cached_input_usd_per_mtok": cached_input_usd_per_mtok,
                "cache_write_usd_per_mtok": cache_write_usd_per_mtok,
                "output_usd_per_mtok": output_usd_per_mtok,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        above_input_tokens = d.pop("above_input_tokens")

        input_usd_per_mtok = d.pop("input_usd_per_mtok")

        def _parse_cached_input_usd_per_mtok(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cached_input_usd_per_mtok = _parse_cached_input_usd_per_mtok(d.pop("cached_input_usd_per_mtok"))

        def _parse_cache_write_usd_per_mtok(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cache_write_usd_per_mtok = _parse_cache_write_usd_per_mtok(d.pop("cache_write_usd_per_mtok"))

        output_usd_per_mtok = d.pop("output_usd_per_mtok")

        price_tier = cls(
            above_input_tokens=above_input_tokens,
            input_usd_per_mtok=input_usd_per_mtok,
            cached_input_usd_per_mtok=cached_input_usd_per_mtok,
            cache_write_usd_per_mtok=cache_write_usd_per_mtok,
            output_usd_per_mtok=output_usd_per_mtok,
        )

        price_tier.additional_properties = d
        return price_tier

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
