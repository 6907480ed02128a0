# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Wallet")


@_attrs_define
class Wallet:
    """
    Attributes:
        balance_microusd (int): What is left of all that was put in.
        held_microusd (int): Held for runs that have not ended.
        available_microusd (int): Balance less holds.
    """

    balance_microusd: int
    held_microusd: int
    available_microusd: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        balance_microusd = self.balance_microusd

        held_microusd = self.held_microusd

        available_microusd = self.available_microusd

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "balance_microusd": balance_microusd,
                "held_microusd": held_microusd,
                "available_microusd": available_microusd,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        balance_microusd = d.pop("balance_microusd")

        held_microusd = d.pop("held_microusd")

        available_microusd = d.pop("available_microusd")

        wallet = cls(
            balance_microusd=balance_microusd,
            held_microusd=held_microusd,
            available_microusd=available_microusd,
        )

        wallet.additional_properties = d
        return wallet

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
