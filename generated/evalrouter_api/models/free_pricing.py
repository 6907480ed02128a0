# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="FreePricing")


@_attrs_define
class FreePricing:
    """
    Attributes:
        type_ (Literal['free']):
    """

    type_: Literal["free"]

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "type": type_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["free"], d.pop("type"))
        if type_ != "free":
            raise ValueError(f"type must match const 'free', got '{type_}'")

        free_pricing = cls(
            type_=type_,
        )

        return free_pricing
