# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.a2a_settings import A2ASettings
    from ..models.price import Price
    from ..models.trace_settings import TraceSettings


T = TypeVar("T", bound="Connection")


@_attrs_define
class Connection:
    """Of the fields after `kind`, those of another kind are null.

    Attributes:
        id (str):
        name (str):
        kind (str): `model`, `trace` or `a2a`.
        base_url (None | str):
        upstream_model (None | str):
        model_id (None | str):
        price (None | Price):
        has_key (bool):
        key_env (None | str):
        trace (None | TraceSettings):
        a2a (A2ASettings | None):
        secret (None | str): A trace connection's key, only in the answer of the request that made it.
        created_at (datetime.datetime):
    """

    id: str
    name: str
    kind: str
    base_url: None | str
    upstream_model: None | str
    model_id: None | str
    price: None | Price
    has_key: bool
    key_env: None | str
    trace: None | TraceSettings
    a2a: A2ASettings | None
    secret: None | str
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.a2a_settings import A2ASettings  # noqa: PLC0415
        from ..models.price import Price  # noqa: PLC0415
        from ..models.trace_settings import TraceSettings  # noqa: PLC0415

        id = self.id

        name = self.name

        kind = self.kind

        base_url: None | str
        base_url = self.base_url

        upstream_model: None | str
        upstream_model = self.upstream_model

        model_id: None | str
        model_id = self.model_id

        price: dict[str, Any] | None
        if isinstance(self.price, Price):
            price = self.price.to_dict()
        else:
            price = self.price

        has_key = self.has_key

        key_env: None | str
        key_env = self.key_env

        trace: dict[str, Any] | None
        if isinstance(self.trace, TraceSettings):
            trace = self.trace.to_dict()
        else:
            trace = self.trace

        a2a: dict[str, Any] | None
        if isinstance(self.a2a, A2ASettings):
            a2a = self.a2a.to_dict()
        else:
            a2a = self.a2a

        secret: None | str
        secret = self.secret

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
                "trace": trace,
                "a2a": a2a,
                "secret": secret,
                "created_at": created_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.a2a_settings import A2ASettings  # noqa: PLC0415
        from ..models.price import Price  # noqa: PLC0415
        from ..models.trace_settings import TraceSettings  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        kind = d.pop("kind")

        def _parse_base_url(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        base_url = _parse_base_url(d.pop("base_url"))

        def _parse_upstream_model(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        upstream_model = _parse_upstream_model(d.pop("upstream_model"))

        def _parse_model_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        model_id = _parse_model_id(d.pop("model_id"))

        def _parse_price(data: object) -> None | Price:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                price_type_0 = Price.from_dict(data)

                return price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Price, data)

        price = _parse_price(d.pop("price"))

        has_key = d.pop("has_key")

        def _parse_key_env(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key_env = _parse_key_env(d.pop("key_env"))

        def _parse_trace(data: object) -> None | TraceSettings:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                trace_type_0 = TraceSettings.from_dict(data)

                return trace_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TraceSettings, data)

        trace = _parse_trace(d.pop("trace"))

        def _parse_a2a(data: object) -> A2ASettings | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                a2a_type_0 = A2ASettings.from_dict(data)

                return a2a_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(A2ASettings | None, data)

        a2a = _parse_a2a(d.pop("a2a"))

        def _parse_secret(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        secret = _parse_secret(d.pop("secret"))

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
            trace=trace,
            a2a=a2a,
            secret=secret,
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
