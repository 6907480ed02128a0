# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="A2AConnectionCreate")


@_attrs_define
class A2AConnectionCreate:
    """
    Attributes:
        name (str):
        kind (Literal['a2a']):
        card_url (str): The agent's card, if it ends in `.json`, else the address below which the card is at its well-
            known place.
        key (str | Unset): The agent's key; stored encrypted.
        key_env (str | Unset): The server's environment variable that holds the key, read when work on a run begins.
        key_header (str | Unset): The header that carries the key, as it is. Without it the card says how the key is
            sent; a card that does not gets a bearer token.
        origins (list[str] | Unset): Origins beside the card's own at which the agent may be called and gets the key.
    """

    name: str
    kind: Literal["a2a"]
    card_url: str
    key: str | Unset = UNSET
    key_env: str | Unset = UNSET
    key_header: str | Unset = UNSET
    origins: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        kind = self.kind

        card_url = self.card_url

        key = self.key

        key_env = self.key_env

        key_header = self.key_header

        origins: list[str] | Unset = UNSET
        if not isinstance(self.origins, Unset):
            origins = self.origins

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "kind": kind,
                "card_url": card_url,
            }
        )
        if key is not UNSET:
            field_dict["key"] = key
        if key_env is not UNSET:
            field_dict["key_env"] = key_env
        if key_header is not UNSET:
            field_dict["key_header"] = key_header
        if origins is not UNSET:
            field_dict["origins"] = origins

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        kind = cast(Literal["a2a"], d.pop("kind"))
        if kind != "a2a":
            raise ValueError(f"kind must match const 'a2a', got '{kind}'")

        card_url = d.pop("card_url")

        key = d.pop("key", UNSET)

        key_env = d.pop("key_env", UNSET)

        key_header = d.pop("key_header", UNSET)

        origins = cast(list[str], d.pop("origins", UNSET))

        a2a_connection_create = cls(
            name=name,
            kind=kind,
            card_url=card_url,
            key=key,
            key_env=key_env,
            key_header=key_header,
            origins=origins,
        )

        return a2a_connection_create
