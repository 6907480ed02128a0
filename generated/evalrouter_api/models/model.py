# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.price import Price


T = TypeVar("T", bound="Model")


@_attrs_define
class Model:
    """
    Attributes:
        id (str):
        slug (str): `gpt-5`, or `connection:NAME`.
        provider (str):
        name (str):
        reference (str): `provider/slug`, which names it without doubt.
        is_makers (bool): Whether the bare slug means this one.
        connection_id (None | str):
        price (None | Price):
        context_window (int | None): Tokens.
        callable_ (bool): Whether this server can call it now.
        unavailable_reason (None | str): What to do to make it callable.
    """

    id: str
    slug: str
    provider: str
    name: str
    reference: str
    is_makers: bool
    connection_id: None | str
    price: None | Price
    context_window: int | None
    callable_: bool
    unavailable_reason: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.price import Price  # noqa: PLC0415

        id = self.id

        slug = self.slug

        provider = self.provider

        name = self.name

        reference = self.reference

        is_makers = self.is_makers

        connection_id: None | str
        connection_id = self.connection_id

        price: dict[str, Any] | None
        if isinstance(self.price, Price):
            price = self.price.to_dict()
        else:
            price = self.price

        context_window: int | None
        context_window = self.context_window

        callable_ = self.callable_

        unavailable_reason: None | str
        unavailable_reason = self.unavailable_reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "slug": slug,
                "provider": provider,
                "name": name,
                "reference": reference,
                "is_makers": is_makers,
                "connection_id": connection_id,
                "price": price,
                "context_window": context_window,
                "callable": callable_,
                "unavailable_reason": unavailable_reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.price import Price  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        slug = d.pop("slug")

        provider = d.pop("provider")

        name = d.pop("name")

        reference = d.pop("reference")

        is_makers = d.pop("is_makers")

        def _parse_connection_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        connection_id = _parse_connection_id(d.pop("connection_id"))

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

        def _parse_context_window(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        context_window = _parse_context_window(d.pop("context_window"))

        callable_ = d.pop("callable")

        def _parse_unavailable_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        unavailable_reason = _parse_unavailable_reason(d.pop("unavailable_reason"))

        model = cls(
            id=id,
            slug=slug,
            provider=provider,
            name=name,
            reference=reference,
            is_makers=is_makers,
            connection_id=connection_id,
            price=price,
            context_window=context_window,
            callable_=callable_,
            unavailable_reason=unavailable_reason,
        )

        model.additional_properties = d
        return model

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
