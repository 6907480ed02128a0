# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Protocol")


@_attrs_define
class Protocol:
    """How a row becomes a prompt.

    Attributes:
        system (None | str):
        user (str): The user message's template.
        temperature (float):
        description (str):
    """

    system: None | str
    user: str
    temperature: float
    description: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        system: None | str
        system = self.system

        user = self.user

        temperature = self.temperature

        description = self.description

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "system": system,
                "user": user,
                "temperature": temperature,
                "description": description,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_system(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        system = _parse_system(d.pop("system"))

        user = d.pop("user")

        temperature = d.pop("temperature")

        description = d.pop("description")

        protocol = cls(
            system=system,
            user=user,
            temperature=temperature,
            description=description,
        )

        protocol.additional_properties = d
        return protocol

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
