# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.trace_limits import TraceLimits


T = TypeVar("T", bound="TraceSettings")


@_attrs_define
class TraceSettings:
    """
    Attributes:
        stores_content (bool):
        retention_days (int):
        key_prefix (str): The key's first characters.
        key_revoked_at (datetime.datetime | None):
        limits (TraceLimits):
    """

    stores_content: bool
    retention_days: int
    key_prefix: str
    key_revoked_at: datetime.datetime | None
    limits: TraceLimits
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        stores_content = self.stores_content

        retention_days = self.retention_days

        key_prefix = self.key_prefix

        key_revoked_at: None | str
        if isinstance(self.key_revoked_at, datetime.datetime):
            key_revoked_at = self.key_revoked_at.isoformat()
        else:
            key_revoked_at = self.key_revoked_at

        limits = self.limits.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "stores_content": stores_content,
                "retention_days": retention_days,
                "key_prefix": key_prefix,
                "key_revoked_at": key_revoked_at,
                "limits": limits,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trace_limits import TraceLimits  # noqa: PLC0415

        d = dict(src_dict)
        stores_content = d.pop("stores_content")

        retention_days = d.pop("retention_days")

        key_prefix = d.pop("key_prefix")

        def _parse_key_revoked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                key_revoked_at_type_0 = datetime.datetime.fromisoformat(data)

                return key_revoked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        key_revoked_at = _parse_key_revoked_at(d.pop("key_revoked_at"))

        limits = TraceLimits.from_dict(d.pop("limits"))

        trace_settings = cls(
            stores_content=stores_content,
            retention_days=retention_days,
            key_prefix=key_prefix,
            key_revoked_at=key_revoked_at,
            limits=limits,
        )

        trace_settings.additional_properties = d
        return trace_settings

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
