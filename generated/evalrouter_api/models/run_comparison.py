# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.difference import Difference
    from ..models.flip import Flip
    from ..models.metric import Metric
    from ..models.paired_test import PairedTest
    from ..models.run import Run


T = TypeVar("T", bound="RunComparison")


@_attrs_define
class RunComparison:
    """One run beside the baseline, on the questions that both graded.

    Attributes:
        run (Run):
        shared (int): Questions that both graded.
        baseline_only (int): Questions that only the baseline graded; they do not count.
        run_only (int): Questions that only the run graded; they do not count.
        baseline_metric (Metric):
        run_metric (Metric):
        difference (Difference): The run's score less the baseline's.
        test (PairedTest):
        smallest_detectable_difference (float | None): The smallest true difference that this many questions would show
            at the 5% level in 80% of comparisons; null where it cannot be told.
        differing (int): Questions with another score; 0: there is nothing to test, and the p-value is 1 whatever the
            models are.
        both_right (int): Questions that both get right: whose mean score over the repeats is one half at least.
        both_wrong (int):
        gained (int): Questions that only the run gets right.
        lost (int): Questions that only the baseline gets right.
        flips (list[Flip]): The gained and the lost, in the order of the baseline's plan.
        baseline_charge_microusd (int): What the shared questions were charged in the baseline.
        run_charge_microusd (int): What they were charged in the run.
    """

    run: Run
    shared: int
    baseline_only: int
    run_only: int
    baseline_metric: Metric
    run_metric: Metric
    difference: Difference
    test: PairedTest
    smallest_detectable_difference: float | None
    differing: int
    both_right: int
    both_wrong: int
    gained: int
    lost: int
    flips: list[Flip]
    baseline_charge_microusd: int
    run_charge_microusd: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        run = self.run.to_dict()

        shared = self.shared

        baseline_only = self.baseline_only

        run_only = self.run_only

        baseline_metric = self.baseline_metric.to_dict()

        run_metric = self.run_metric.to_dict()

        difference = self.difference.to_dict()

        test = self.test.to_dict()

        smallest_detectable_difference: float | None
        smallest_detectable_difference = self.smallest_detectable_difference

        differing = self.differing

        both_right = self.both_right

        both_wrong = self.both_wrong

        gained = self.gained

        lost = self.lost

        flips = []
        for flips_item_data in self.flips:
            flips_item = flips_item_data.to_dict()
            flips.append(flips_item)

        baseline_charge_microusd = self.baseline_charge_microusd

        run_charge_microusd = self.run_charge_microusd

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "run": run,
                "shared": shared,
                "baseline_only": baseline_only,
                "run_only": run_only,
                "baseline_metric": baseline_metric,
                "run_metric": run_metric,
                "difference": difference,
                "test": test,
                "smallest_detectable_difference": smallest_detectable_difference,
                "differing": differing,
                "both_right": both_right,
                "both_wrong": both_wrong,
                "gained": gained,
                "lost": lost,
                "flips": flips,
                "baseline_charge_microusd": baseline_charge_microusd,
                "run_charge_microusd": run_charge_microusd,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.difference import Difference  # noqa: PLC0415
        from ..models.flip import Flip  # noqa: PLC0415
        from ..models.metric import Metric  # noqa: PLC0415
        from ..models.paired_test import PairedTest  # noqa: PLC0415
        from ..models.run import Run  # noqa: PLC0415

        d = dict(src_dict)
        run = Run.from_dict(d.pop("run"))

        shared = d.pop("shared")

        baseline_only = d.pop("baseline_only")

        run_only = d.pop("run_only")

        baseline_metric = Metric.from_dict(d.pop("baseline_metric"))

        run_metric = Metric.from_dict(d.pop("run_metric"))

        difference = Difference.from_dict(d.pop("difference"))

        test = PairedTest.from_dict(d.pop("test"))

        def _parse_smallest_detectable_difference(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        smallest_detectable_difference = _parse_smallest_detectable_difference(d.pop("smallest_detectable_difference"))

        differing = d.pop("differing")

        both_right = d.pop("both_right")

        both_wrong = d.pop("both_wrong")

        gained = d.pop("gained")

        lost = d.pop("lost")

        flips = []
        _flips = d.pop("flips")
        for flips_item_data in _flips:
            flips_item = Flip.from_dict(flips_item_data)

            flips.append(flips_item)

        baseline_charge_microusd = d.pop("baseline_charge_microusd")

        run_charge_microusd = d.pop("run_charge_microusd")

        run_comparison = cls(
            run=run,
            shared=shared,
            baseline_only=baseline_only,
            run_only=run_only,
            baseline_metric=baseline_metric,
            run_metric=run_metric,
            difference=difference,
            test=test,
            smallest_detectable_difference=smallest_detectable_difference,
            differing=differing,
            both_right=both_right,
            both_wrong=both_wrong,
            gained=gained,
            lost=lost,
            flips=flips,
            baseline_charge_microusd=baseline_charge_microusd,
            run_charge_microusd=run_charge_microusd,
        )

        run_comparison.additional_properties = d
        return run_comparison

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
