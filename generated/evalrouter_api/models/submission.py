# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="Submission")


@_attrs_define
class Submission:
    """
    Attributes:
        output (str): The whole text of the answer.
    """

    output: str

    def to_dict(self) -> dict[str, Any]:
        output = self.output

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "output": output,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        output = d.pop("output")

        submission = cls(
            output=output,
        )

        return submission
