# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="TokenPricing")


@_attrs_define
class TokenPricing:
    """
    Attributes:
        type_ (Literal['per_token']):
        input_usd_per_mtok (str): An exact decimal amount of USD.
        output_usd_per_mtok (str): An exact decimal amount of USD.
        cached_input_usd_per_mtok (str | Unset): An exact decimal amount of USD.
    """

    type_: Literal["per_token"]
    input_usd_per_mtok: str
    output_usd_per_mtok: str
    cached_input_usd_per_mtok: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        input_usd_per_mtok = self.input_usd_per_mtok

        output_usd_per_mtok = self.output_usd_per_mtok

        cached_input_usd_per_mtok = self.cached_input_usd_per_mtok

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "type": type_,
                "input_usd_per_mtok": input_usd_per_mtok,
                "output_usd_per_mtok": output_usd_per_mtok,
            }
        )
        if cached_input_usd_per_mtok is not UNSET:
            field_dict["cached_input_usd_per_mtok"] = cached_input_usd_per_mtok

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        type_ = cast(Literal["per_token"], d.pop("type"))
        if type_ != "per_token":
            raise ValueError(f"type must match const 'per_token', got '{type_}'")

        input_usd_per_mtok = d.pop("input_usd_per_mtok")

        output_usd_per_mtok = d.pop("output_usd_per_mtok")

        cached_input_usd_per_mtok = d.pop("cached_input_usd_per_mtok", UNSET)

        token_pricing = cls(
            type_=type_,
            input_usd_per_mtok=input_usd_per_mtok,
            output_usd_per_mtok=output_usd_per_mtok,
            cached_input_usd_per_mtok=cached_input_usd_per_mtok,
        )

        return token_pricing
