# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="RunFromQuote")


@_attrs_define
class RunFromQuote:
    """
    Attributes:
        source (Literal['quote']):
        quote_id (str):
    """

    source: Literal["quote"]
    quote_id: str

    def to_dict(self) -> dict[str, Any]:
        source = self.source

        quote_id = self.quote_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "source": source,
                "quote_id": quote_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        source = cast(Literal["quote"], d.pop("source"))
        if source != "quote":
            raise ValueError(f"source must match const 'quote', got '{source}'")

        quote_id = d.pop("quote_id")

        run_from_quote = cls(
            source=source,
            quote_id=quote_id,
        )

        return run_from_quote
