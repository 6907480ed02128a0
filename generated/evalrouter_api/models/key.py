# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Key")


@_attrs_define
class Key:
    """
    Attributes:
        id (str):
        name (str):
        prefix (str): The first characters of the secret.
        scopes (list[str]):
        ceiling_microusd (int | None):
        committed_microusd (int): Charged and held for what the key started.
        remaining_microusd (int | None):
        created_at (datetime.datetime):
        revoked_at (datetime.datetime | None):
    """

    id: str
    name: str
    prefix: str
    scopes: list[str]
    ceiling_microusd: int | None
    committed_microusd: int
    remaining_microusd: int | None
    created_at: datetime.datetime
    revoked_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        prefix = self.prefix

        scopes = self.scopes

        ceiling_microusd: int | None
        ceiling_microusd = self.ceiling_microusd

        committed_microusd = self.committed_microusd

        remaining_microusd: int | None
        remaining_microusd = self.remaining_microusd

        created_at = self.created_at.isoformat()

        revoked_at: None | str
        if isinstance(self.revoked_at, datetime.datetime):
            revoked_at = self.revoked_at.isoformat()
        else:
            revoked_at = self.revoked_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "prefix": prefix,
                "scopes": scopes,
                "ceiling_microusd": ceiling_microusd,
                "committed_microusd": committed_microusd,
                "remaining_microusd": remaining_microusd,
                "created_at": created_at,
                "revoked_at": revoked_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        prefix = d.pop("prefix")

        scopes = cast(list[str], d.pop("scopes"))

        def _parse_ceiling_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        ceiling_microusd = _parse_ceiling_microusd(d.pop("ceiling_microusd"))

        committed_microusd = d.pop("committed_microusd")

        def _parse_remaining_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        remaining_microusd = _parse_remaining_microusd(d.pop("remaining_microusd"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_revoked_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                revoked_at_type_0 = datetime.datetime.fromisoformat(data)

                return revoked_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        revoked_at = _parse_revoked_at(d.pop("revoked_at"))

        key = cls(
            id=id,
            name=name,
            prefix=prefix,
            scopes=scopes,
            ceiling_microusd=ceiling_microusd,
            committed_microusd=committed_microusd,
            remaining_microusd=remaining_microusd,
            created_at=created_at,
            revoked_at=revoked_at,
        )

        key.additional_properties = d
        return key

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
