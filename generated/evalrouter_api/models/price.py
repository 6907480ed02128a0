# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.price_tier import PriceTier


T = TypeVar("T", bound="Price")


@_attrs_define
class Price:
    """Exact prices in USD per million tokens. Reasoning tokens are output.

    Attributes:
        input_usd_per_mtok (str):
        cached_input_usd_per_mtok (None | str): Null where cached input costs what input costs.
        cache_write_usd_per_mtok (None | str):
        output_usd_per_mtok (str):
        tiers (list[PriceTier]):
        source (str): `genai-prices`, `override`, `connection` or `built-in`.
        version (str):
    """

    input_usd_per_mtok: str
    cached_input_usd_per_mtok: None | str
    cache_write_usd_per_mtok: None | str
    output_usd_per_mtok: str
    tiers: list[PriceTier]
    source: str
    version: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        input_usd_per_mtok = self.input_usd_per_mtok

        cached_input_usd_per_mtok: None | str
        cached_input_usd_per_mtok = self.cached_input_usd_per_mtok

        cache_write_usd_per_mtok: None | str
        cache_write_usd_per_mtok = self.cache_write_usd_per_mtok

        output_usd_per_mtok = self.output_usd_per_mtok

        tiers = []
        for tiers_item_data in self.tiers:
            tiers_item = tiers_item_data.to_dict()
            tiers.append(tiers_item)

        source = self.source

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "input_usd_per_mtok": input_usd_per_mtok,
                "cached_input_usd_per_mtok": cached_input_usd_per_mtok,
                "cache_write_usd_per_mtok": cache_write_usd_per_mtok,
                "output_usd_per_mtok": output_usd_per_mtok,
                "tiers": tiers,
                "source": source,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.price_tier import PriceTier  # noqa: PLC0415

        d = dict(src_dict)
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

        tiers = []
        _tiers = d.pop("tiers")
        for tiers_item_data in _tiers:
            tiers_item = PriceTier.from_dict(tiers_item_data)

            tiers.append(tiers_item)

        source = d.pop("source")

        version = d.pop("version")

        price = cls(
            input_usd_per_mtok=input_usd_per_mtok,
            cached_input_usd_per_mtok=cached_input_usd_per_mtok,
            cache_write_usd_per_mtok=cache_write_usd_per_mtok,
            output_usd_per_mtok=output_usd_per_mtok,
            tiers=tiers,
            source=source,
            version=version,
        )

        price.additional_properties = d
        return price

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
