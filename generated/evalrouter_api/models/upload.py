# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Upload")


@_attrs_define
class Upload:
    """
    Attributes:
        id (str):
        sha256 (str):
        byte_count (int):
        part_bytes (int): Bytes of every part but the last.
        part_count (int):
        parts_received (int): How many parts from the first on are there.
    """

    id: str
    sha256: str
    byte_count: int
    part_bytes: int
    part_count: int
    parts_received: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        sha256 = self.sha256

        byte_count = self.byte_count

        part_bytes = self.part_bytes

        part_count = self.part_count

        parts_received = self.parts_received

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "sha256": sha256,
                "byte_count": byte_count,
                "part_bytes": part_bytes,
                "part_count": part_count,
                "parts_received": parts_received,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        sha256 = d.pop("sha256")

        byte_count = d.pop("byte_count")

        part_bytes = d.pop("part_bytes")

        part_count = d.pop("part_count")

        parts_received = d.pop("parts_received")

        upload = cls(
            id=id,
            sha256=sha256,
            byte_count=byte_count,
            part_bytes=part_bytes,
            part_count=part_count,
            parts_received=parts_received,
        )

        upload.additional_properties = d
        return upload

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
