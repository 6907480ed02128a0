# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="TopUp")


@_attrs_define
class TopUp:
    """
    Attributes:
        amount_microusd (int):
        note (str | Unset):
    """

    amount_microusd: int
    note: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        amount_microusd = self.amount_microusd

        note = self.note

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "amount_microusd": amount_microusd,
            }
        )
        if note is not UNSET:
            field_dict["note"] = note

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        amount_microusd = d.pop("amount_microusd")

        note = d.pop("note", UNSET)

        top_up = cls(
            amount_microusd=amount_microusd,
            note=note,
        )

        return top_up
