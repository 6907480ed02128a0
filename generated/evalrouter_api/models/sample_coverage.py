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
        stratify (Literal['group'] | Unset): Draw from each of the benchmark's groups in proportion to its size.
    """

    mode: Literal["sample"]
    sample_count: int
    seed: int | Unset = 0
    stratify: Literal["group"] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        mode = self.mode

        sample_count = self.sample_count

        seed = self.seed

        stratify = self.stratify

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "mode": mode,
                "sample_count": sample_count,
            }
        )
        if seed is not UNSET:
            field_dict["seed"] = seed
        if stratify is not UNSET:
            field_dict["stratify"] = stratify

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mode = cast(Literal["sample"], d.pop("mode"))
        if mode != "sample":
            raise ValueError(f"mode must match const 'sample', got '{mode}'")

        sample_count = d.pop("sample_count")

        seed = d.pop("seed", UNSET)

        stratify = cast(Literal["group"] | Unset, d.pop("stratify", UNSET))
        if stratify != "group" and not isinstance(stratify, Unset):
            raise ValueError(f"stratify must match const 'group', got '{stratify}'")

        sample_coverage = cls(
            mode=mode,
            sample_count=sample_count,
            seed=seed,
            stratify=stratify,
        )

        return sample_coverage
