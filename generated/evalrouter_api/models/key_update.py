# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="KeyUpdate")


@_attrs_define
class KeyUpdate:
    """
    Attributes:
        ceiling_microusd (int | None): Null lifts the ceiling.
    """

    ceiling_microusd: int | None

    def to_dict(self) -> dict[str, Any]:
        ceiling_microusd: int | None
        ceiling_microusd = self.ceiling_microusd

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "ceiling_microusd": ceiling_microusd,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_ceiling_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ceiling_microusd = _parse_ceiling_microusd(d.pop("ceiling_microusd"))

        key_update = cls(
            ceiling_microusd=ceiling_microusd,
        )

        return key_update
