# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="SampleCoverage")


@_attrs_define
class SampleCoverage:
    """
    Attributes:
        mode (Literal['sample']):
        sample_count (int):
        seed (int | Unset):  Default: 0.
    """

    mode: Literal["sample"]
    sample_count: int
    seed: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        mode = self.mode

        sample_count = self.sample_count

        seed = self.seed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "mode": mode,
                "sample_count": sample_count,
            }
        )
        if seed is not UNSET:
            field_dict["seed"] = seed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mode = cast(Literal["sample"], d.pop("mode"))
        if mode != "sample":
            raise ValueError(f"mode must match const 'sample', got '{mode}'")

        sample_count = d.pop("sample_count")

        seed = d.pop("seed", UNSET)

        sample_coverage = cls(
            mode=mode,
            sample_count=sample_count,
            seed=seed,
        )

        return sample_coverage
