# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.given_answer import GivenAnswer


T = TypeVar("T", bound="FlipSide")


@_attrs_define
class FlipSide:
    """
    Attributes:
        score (float): The mean over the repeats.
        answers (list[GivenAnswer]): One for each repeat.
    """

    score: float
    answers: list[GivenAnswer]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        score = self.score

        answers = []
        for answers_item_data in self.answers:
            answers_item = answers_item_data.to_dict()
            answers.append(answers_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "score": score,
                "answers": answers,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.given_answer import GivenAnswer  # noqa: PLC0415

        d = dict(src_dict)
        score = d.pop("score")

        answers = []
        _answers = d.pop("answers")
        for answers_item_data in _answers:
            answers_item = GivenAnswer.from_dict(answers_item_data)

            answers.append(answers_item)

        flip_side = cls(
            score=score,
            answers=answers,
        )

        flip_side.additional_properties = d
        return flip_side

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
