# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="LedgerEntry")


@_attrs_define
class LedgerEntry:
    """
    Attributes:
        id (str):
        posted_at (datetime.datetime):
        kind (str): `top_up`, `hold`, `charge` or `release`.
        account (str):
        amount_microusd (int): Micro-USD; 1,000,000 is one dollar.
        run_id (None | str):
        call_id (None | str):
        note (None | str):
    """

    id: str
    posted_at: datetime.datetime
    kind: str
    account: str
    amount_microusd: int
    run_id: None | str
    call_id: None | str
    note: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        posted_at = self.posted_at.isoformat()

        kind = self.kind

        account = self.account

        amount_microusd = self.amount_microusd

        run_id: None | str
        run_id = self.run_id

        call_id: None | str
        call_id = self.call_id

        note: None | str
        note = self.note

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "posted_at": posted_at,
                "kind": kind,
                "account": account,
                "amount_microusd": amount_microusd,
                "run_id": run_id,
                "call_id": call_id,
                "note": note,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        posted_at = datetime.datetime.fromisoformat(d.pop("posted_at"))

        kind = d.pop("kind")

        account = d.pop("account")

        amount_microusd = d.pop("amount_microusd")

        def _parse_run_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        run_id = _parse_run_id(d.pop("run_id"))

        def _parse_call_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        call_id = _parse_call_id(d.pop("call_id"))

        def _parse_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        note = _parse_note(d.pop("note"))

        ledger_entry = cls(
            id=id,
            posted_at=posted_at,
            kind=kind,
            account=account,
            amount_microusd=amount_microusd,
            run_id=run_id,
            call_id=call_id,
            note=note,
        )

        ledger_entry.additional_properties = d
        return ledger_entry

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
