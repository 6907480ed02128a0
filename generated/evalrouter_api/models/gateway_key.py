# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="GatewayKey")


@_attrs_define
class GatewayKey:
    """
    Attributes:
        id (str):
        run_id (str):
        secret (str): The key, shown once.
        base_url (str): The root that an OpenAI client takes as its base URL.
        model (str): The model name that the key may ask for.
    """

    id: str
    run_id: str
    secret: str
    base_url: str
    model: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        run_id = self.run_id

        secret = self.secret

        base_url = self.base_url

        model = self.model

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "run_id": run_id,
                "secret": secret,
                "base_url": base_url,
                "model": model,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        run_id = d.pop("run_id")

        secret = d.pop("secret")

        base_url = d.pop("base_url")

        model = d.pop("model")

        gateway_key = cls(
            id=id,
            run_id=run_id,
            secret=secret,
            base_url=base_url,
            model=model,
        )

        gateway_key.additional_properties = d
        return gateway_key

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
