# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Coverage")


@_attrs_define
class Coverage:
    """
    Attributes:
        mode (str):
        sample_count (int | None):
        seed (int | None):
        stratify (None | str): `group` where each group is drawn from in proportion to its size.
        benchmark_task_count (int):
        selected (int): Tasks in the plan.
        graded (int):
        failed (int): Tasks that ended in an error; never counted as wrong.
        missing (int): Tasks that were not run or have not ended.
    """

    mode: str
    sample_count: int | None
    seed: int | None
    stratify: None | str
    benchmark_task_count: int
    selected: int
    graded: int
    failed: int
    missing: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        mode = self.mode

        sample_count: int | None
        sample_count = self.sample_count

        seed: int | None
        seed = self.seed

        stratify: None | str
        stratify = self.stratify

        benchmark_task_count = self.benchmark_task_count

        selected = self.selected

        graded = self.graded

        failed = self.failed

        missing = self.missing

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "mode": mode,
                "sample_count": sample_count,
                "seed": seed,
                "stratify": stratify,
                "benchmark_task_count": benchmark_task_count,
                "selected": selected,
                "graded": graded,
                "failed": failed,
                "missing": missing,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mode = d.pop("mode")

        def _parse_sample_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        sample_count = _parse_sample_count(d.pop("sample_count"))

        def _parse_seed(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        seed = _parse_seed(d.pop("seed"))

        def _parse_stratify(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        stratify = _parse_stratify(d.pop("stratify"))

        benchmark_task_count = d.pop("benchmark_task_count")

        selected = d.pop("selected")

        graded = d.pop("graded")

        failed = d.pop("failed")

        missing = d.pop("missing")

        coverage = cls(
            mode=mode,
            sample_count=sample_count,
            seed=seed,
            stratify=stratify,
            benchmark_task_count=benchmark_task_count,
            selected=selected,
            graded=graded,
            failed=failed,
            missing=missing,
        )

        coverage.additional_properties = d
        return coverage

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
