# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.free_pricing import FreePricing
    from ..models.token_pricing import TokenPricing


T = TypeVar("T", bound="ModelConnectionCreate")


@_attrs_define
class ModelConnectionCreate:
    """
    Attributes:
        name (str):
        kind (Literal['model']):
        base_url (str): The OpenAI-compatible root, usually ending in `/v1`.
        upstream_model (str): The model's name at the endpoint.
        pricing (FreePricing | TokenPricing):
        key (str | Unset): The endpoint's key; stored encrypted.
        key_env (str | Unset): The server's environment variable that holds the key, read at each call.
    """

    name: str
    kind: Literal["model"]
    base_url: str
    upstream_model: str
    pricing: FreePricing | TokenPricing
    key: str | Unset = UNSET
    key_env: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.free_pricing import FreePricing  # noqa: PLC0415

        name = self.name

        kind = self.kind

        base_url = self.base_url

        upstream_model = self.upstream_model

        pricing: dict[str, Any]
        if isinstance(self.pricing, FreePricing):
            pricing = self.pricing.to_dict()
        else:
            pricing = self.pricing.to_dict()

        key = self.key

        key_env = self.key_env

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "kind": kind,
                "base_url": base_url,
                "upstream_model": upstream_model,
                "pricing": pricing,
            }
        )
        if key is not UNSET:
            field_dict["key"] = key
        if key_env is not UNSET:
            field_dict["key_env"] = key_env

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.free_pricing import FreePricing  # noqa: PLC0415
        from ..models.token_pricing import TokenPricing  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        kind = cast(Literal["model"], d.pop("kind"))
        if kind != "model":
            raise ValueError(f"kind must match const 'model', got '{kind}'")

        base_url = d.pop("base_url")

        upstream_model = d.pop("upstream_model")

        def _parse_pricing(data: object) -> FreePricing | TokenPricing:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pricing_type_0 = FreePricing.from_dict(data)

                return pricing_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            pricing_type_1 = TokenPricing.from_dict(data)

            return pricing_type_1

        pricing = _parse_pricing(d.pop("pricing"))

        key = d.pop("key", UNSET)

        key_env = d.pop("key_env", UNSET)

        model_connection_create = cls(
            name=name,
            kind=kind,
            base_url=base_url,
            upstream_model=upstream_model,
            pricing=pricing,
            key=key,
            key_env=key_env,
        )

        return model_connection_create
