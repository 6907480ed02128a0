# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SpanTokens")


@_attrs_define
class SpanTokens:
    """Counters as the source reports them. They enter neither cost nor ledger.

    Attributes:
        input_ (int | Unset):
        output (int | Unset):
        cache_read (int | Unset):
        cache_write (int | Unset):
        reasoning (int | Unset):
        total (int | Unset):
    """

    input_: int | Unset = UNSET
    output: int | Unset = UNSET
    cache_read: int | Unset = UNSET
    cache_write: int | Unset = UNSET
    reasoning: int | Unset = UNSET
    total: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        input_ = self.input_

        output = self.output

        cache_read = self.cache_read

        cache_write = self.cache_write

        reasoning = self.reasoning

        total = self.total

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if input_ is not UNSET:
            field_dict["input"] = input_
        if output is not UNSET:
            field_dict["output"] = output
        if cache_read is not UNSET:
            field_dict["cache_read"] = cache_read
        if cache_write is not UNSET:
            field_dict["cache_write"] = cache_write
        if reasoning is not UNSET:
            field_dict["reasoning"] = reasoning
        if total is not UNSET:
            field_dict["total"] = total

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        input_ = d.pop("input", UNSET)

        output = d.pop("output", UNSET)

        cache_read = d.pop("cache_read", UNSET)

        cache_write = d.pop("cache_write", UNSET)

        reasoning = d.pop("reasoning", UNSET)

        total = d.pop("total", UNSET)

        span_tokens = cls(
            input_=input_,
            output=output,
            cache_read=cache_read,
            cache_write=cache_write,
            reasoning=reasoning,
            total=total,
        )

        return span_tokens
