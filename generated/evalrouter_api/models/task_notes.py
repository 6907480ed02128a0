# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="TaskNotes")


@_attrs_define
class TaskNotes:
    """
    Attributes:
        notes (list[str]):
    """

    notes: list[str]

    def to_dict(self) -> dict[str, Any]:
        notes = self.notes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notes": notes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        notes = cast(list[str], d.pop("notes"))

        task_notes = cls(
            notes=notes,
        )

        return task_notes
