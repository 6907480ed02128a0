# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.run import Run
    from ..models.task_result import TaskResult


T = TypeVar("T", bound="ExportDocument")


@_attrs_define
class ExportDocument:
    """
    Attributes:
        run (Run):
        results (list[TaskResult]):
    """

    run: Run
    results: list[TaskResult]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        run = self.run.to_dict()

        results = []
        for results_item_data in self.results:
            results_item = results_item_data.to_dict()
            results.append(results_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "run": run,
                "results": results,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run import Run  # noqa: PLC0415
        from ..models.task_result import TaskResult  # noqa: PLC0415

        d = dict(src_dict)
        run = Run.from_dict(d.pop("run"))

        results = []
        _results = d.pop("results")
        for results_item_data in _results:
            results_item = TaskResult.from_dict(results_item_data)

            results.append(results_item)

        export_document = cls(
            run=run,
            results=results,
        )

        export_document.additional_properties = d
        return export_document

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
