# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Identity")


@_attrs_define
class Identity:
    """
    Attributes:
        workspace_id (str):
        workspace_name (str):
        key_id (str):
        key_name (str):
        scopes (list[str]):
        server_version (str):
        embedded (bool): Whether the server lives inside a user's process and pauses with it.
    """

    workspace_id: str
    workspace_name: str
    key_id: str
    key_name: str
    scopes: list[str]
    server_version: str
    embedded: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        workspace_id = self.workspace_id

        workspace_name = self.workspace_name

        key_id = self.key_id

        key_name = self.key_name

        scopes = self.scopes

        server_version = self.server_version

        embedded = self.embedded

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "workspace_id": workspace_id,
                "workspace_name": workspace_name,
                "key_id": key_id,
                "key_name": key_name,
                "scopes": scopes,
                "server_version": server_version,
                "embedded": embedded,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        workspace_id = d.pop("workspace_id")

        workspace_name = d.pop("workspace_name")

        key_id = d.pop("key_id")

        key_name = d.pop("key_name")

        scopes = cast(list[str], d.pop("scopes"))

        server_version = d.pop("server_version")

        embedded = d.pop("embedded")

        identity = cls(
            workspace_id=workspace_id,
            workspace_name=workspace_name,
            key_id=key_id,
            key_name=key_name,
            scopes=scopes,
            server_version=server_version,
            embedded=embedded,
        )

        identity.additional_properties = d
        return identity

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
