# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.json_object import JsonObject


T = TypeVar("T", bound="BenchmarkCreate")


@_attrs_define
class BenchmarkCreate:
    """
    Attributes:
        manifest (JsonObject):
        upload_id (str | Unset):
    """

    manifest: JsonObject
    upload_id: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        manifest = self.manifest.to_dict()

        upload_id = self.upload_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "manifest": manifest,
            }
        )
        if upload_id is not UNSET:
            field_dict["upload_id"] = upload_id

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415

        d = dict(src_dict)
        manifest = JsonObject.from_dict(d.pop("manifest"))

        upload_id = d.pop("upload_id", UNSET)

        benchmark_create = cls(
            manifest=manifest,
            upload_id=upload_id,
        )

        return benchmark_create
