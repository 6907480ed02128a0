# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..models.scope_value import ScopeValue
from ..types import UNSET, Unset

T = TypeVar("T", bound="KeyCreate")


@_attrs_define
class KeyCreate:
    """
    Attributes:
        name (str):
        scopes (list[ScopeValue] | Unset): `read` sees, `run` spends, `admin` manages connections, keys and the wallet.
            Default: read and run.
        ceiling_microusd (int | Unset): The most that everything this key starts may charge.
    """

    name: str
    scopes: list[ScopeValue] | Unset = UNSET
    ceiling_microusd: int | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        scopes: list[str] | Unset = UNSET
        if not isinstance(self.scopes, Unset):
            scopes = []
            for scopes_item_data in self.scopes:
                scopes_item = scopes_item_data.value
                scopes.append(scopes_item)

        ceiling_microusd = self.ceiling_microusd

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if scopes is not UNSET:
            field_dict["scopes"] = scopes
        if ceiling_microusd is not UNSET:
            field_dict["ceiling_microusd"] = ceiling_microusd

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        _scopes = d.pop("scopes", UNSET)
        scopes: list[ScopeValue] | Unset = UNSET
        if _scopes is not UNSET:
            scopes = []
            for scopes_item_data in _scopes:
                scopes_item = ScopeValue(scopes_item_data)

                scopes.append(scopes_item)

        ceiling_microusd = d.pop("ceiling_microusd", UNSET)

        key_create = cls(
            name=name,
            scopes=scopes,
            ceiling_microusd=ceiling_microusd,
        )

        return key_create
