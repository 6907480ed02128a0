# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.flip_side import FlipSide
    from ..models.json_object import JsonObject


T = TypeVar("T", bound="Flip")


@_attrs_define
class Flip:
    """
    Attributes:
        item_id (str):
        group (None | str):
        question (str): How the question begins, without the instructions and examples of its prompt.
        target (JsonObject):
        kind (str): `gained` or `lost`.
        baseline (FlipSide):
        run (FlipSide):
    """

    item_id: str
    group: None | str
    question: str
    target: JsonObject
    kind: str
    baseline: FlipSide
    run: FlipSide
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        item_id = self.item_id

        group: None | str
        group = self.group

        question = self.question

        target = self.target.to_dict()

        kind = self.kind

        baseline = self.baseline.to_dict()

        run = self.run.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "item_id": item_id,
                "group": group,
                "question": question,
                "target": target,
                "kind": kind,
                "baseline": baseline,
                "run": run,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.flip_side import FlipSide  # noqa: PLC0415
        from ..models.json_object import JsonObject  # noqa: PLC0415

        d = dict(src_dict)
        item_id = d.pop("item_id")

        def _parse_group(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        group = _parse_group(d.pop("group"))

        question = d.pop("question")

        target = JsonObject.from_dict(d.pop("target"))

        kind = d.pop("kind")

        baseline = FlipSide.from_dict(d.pop("baseline"))

        run = FlipSide.from_dict(d.pop("run"))

        flip = cls(
            item_id=item_id,
            group=group,
            question=question,
            target=target,
            kind=kind,
            baseline=baseline,
            run=run,
        )

        flip.additional_properties = d
        return flip

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
