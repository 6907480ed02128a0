# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="FullCoverage")


@_attrs_define
class FullCoverage:
    """
    Attributes:
        mode (Literal['full']):
    """

    mode: Literal["full"]

    def to_dict(self) -> dict[str, Any]:
        mode = self.mode

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "mode": mode,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mode = cast(Literal["full"], d.pop("mode"))
        if mode != "full":
            raise ValueError(f"mode must match const 'full', got '{mode}'")

        full_coverage = cls(
            mode=mode,
        )

        return full_coverage
