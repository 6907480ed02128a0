# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="SubmittedFile")


@_attrs_define
class SubmittedFile:
    """
    Attributes:
        path (str): Its path from the working folder, parts separated by `/`.
        text (None | str): Its whole new content; null where it was removed.
    """

    path: str
    text: None | str

    def to_dict(self) -> dict[str, Any]:
        path = self.path

        text: None | str
        text = self.text

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "path": path,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        path = d.pop("path")

        def _parse_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        text = _parse_text(d.pop("text"))

        submitted_file = cls(
            path=path,
            text=text,
        )

        return submitted_file
