# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.ledger_difference import LedgerDifference


T = TypeVar("T", bound="WalletVerification")


@_attrs_define
class WalletVerification:
    """
    Attributes:
        ok (bool):
        entries (int): Entries that were added up.
        calls (int):
        runs (int):
        differences (list[LedgerDifference]):
    """

    ok: bool
    entries: int
    calls: int
    runs: int
    differences: list[LedgerDifference]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ok = self.ok

        entries = self.entries

        calls = self.calls

        runs = self.runs

        differences = []
        for differences_item_data in self.differences:
            differences_item = differences_item_data.to_dict()
            differences.append(differences_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ok": ok,
                "entries": entries,
                "calls": calls,
                "runs": runs,
                "differences": differences,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.ledger_difference import LedgerDifference  # noqa: PLC0415

        d = dict(src_dict)
        ok = d.pop("ok")

        entries = d.pop("entries")

        calls = d.pop("calls")

        runs = d.pop("runs")

        differences = []
        _differences = d.pop("differences")
        for differences_item_data in _differences:
            differences_item = LedgerDifference.from_dict(differences_item_data)

            differences.append(differences_item)

        wallet_verification = cls(
            ok=ok,
            entries=entries,
            calls=calls,
            runs=runs,
            differences=differences,
        )

        wallet_verification.additional_properties = d
        return wallet_verification

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
