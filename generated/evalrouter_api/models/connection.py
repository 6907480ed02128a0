# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.price import Price


T = TypeVar("T", bound="Connection")


@_attrs_define
class Connection:
    """
    Attributes:
        id (str):
        name (str):
        kind (str):
        base_url (str):
        upstream_model (str):
        model_id (str):
        price (Price): Exact prices in USD per million tokens. Reasoning tokens are output.
        has_key (bool):
        key_env (None | str):
        created_at (datetime.datetime):
    """

    id: str
    name: str
    kind: str
    base_url: str
    upstream_model: str
    model_id: str
    price: Price
    has_key: bool
    key_env: None | str
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name = self.name

        kind = self.kind

        base_url = self.base_url

        upstream_model = self.upstream_model

        model_id = self.model_id

        price = self.price.to_dict()

        has_key = self.has_key

        key_env: None | str
        key_env = self.key_env

        created_at = self.created_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "name": name,
                "kind": kind,
                "base_url": base_url,
                "upstream_model": upstream_model,
                "model_id": model_id,
                "price": price,
                "has_key": has_key,
                "key_env": key_env,
                "created_at": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.price import Price  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        kind = d.pop("kind")

        base_url = d.pop("base_url")

        upstream_model = d.pop("upstream_model")

        model_id = d.pop("model_id")

        price = Price.from_dict(d.pop("price"))

        has_key = d.pop("has_key")

        def _parse_key_env(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key_env = _parse_key_env(d.pop("key_env"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        connection = cls(
            id=id,
            name=name,
            kind=kind,
            base_url=base_url,
            upstream_model=upstream_model,
            model_id=model_id,
            price=price,
            has_key=has_key,
            key_env=key_env,
            created_at=created_at,
        )

        connection.additional_properties = d
        return connection

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
