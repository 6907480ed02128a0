# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="WorkspaceUpdate")


@_attrs_define
class WorkspaceUpdate:
    """
    Attributes:
        traces_enabled (bool):
    """

    traces_enabled: bool

    def to_dict(self) -> dict[str, Any]:
        traces_enabled = self.traces_enabled

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "traces_enabled": traces_enabled,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        traces_enabled = d.pop("traces_enabled")

        workspace_update = cls(
            traces_enabled=traces_enabled,
        )

        return workspace_update
