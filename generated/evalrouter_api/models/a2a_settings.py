# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="A2ASettings")


@_attrs_define
class A2ASettings:
    """
    Attributes:
        card_url (str):
        key_header (None | str):
        origins (list[str]):
    """

    card_url: str
    key_header: None | str
    origins: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        card_url = self.card_url

        key_header: None | str
        key_header = self.key_header

        origins = self.origins

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "card_url": card_url,
                "key_header": key_header,
                "origins": origins,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        card_url = d.pop("card_url")

        def _parse_key_header(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key_header = _parse_key_header(d.pop("key_header"))

        origins = cast(list[str], d.pop("origins"))

        a2a_settings = cls(
            card_url=card_url,
            key_header=key_header,
            origins=origins,
        )

        a2a_settings.additional_properties = d
        return a2a_settings

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
