# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="UploadCreate")


@_attrs_define
class UploadCreate:
    """
    Attributes:
        sha256 (str):
        byte_count (int):
    """

    sha256: str
    byte_count: int

    def to_dict(self) -> dict[str, Any]:
        sha256 = self.sha256

        byte_count = self.byte_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "sha256": sha256,
                "byte_count": byte_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        sha256 = d.pop("sha256")

        byte_count = d.pop("byte_count")

        upload_create = cls(
            sha256=sha256,
            byte_count=byte_count,
        )

        return upload_create
