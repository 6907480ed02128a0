# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.run_event import RunEvent


T = TypeVar("T", bound="RunEventPage")


@_attrs_define
class RunEventPage:
    """
    Attributes:
        items (list[RunEvent]):
        last_seq (int): The newest event's number.
        run_status (str):
    """

    items: list[RunEvent]
    last_seq: int
    run_status: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        last_seq = self.last_seq

        run_status = self.run_status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "items": items,
                "last_seq": last_seq,
                "run_status": run_status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_event import RunEvent  # noqa: PLC0415

        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = RunEvent.from_dict(items_item_data)

            items.append(items_item)

        last_seq = d.pop("last_seq")

        run_status = d.pop("run_status")

        run_event_page = cls(
            items=items,
            last_seq=last_seq,
            run_status=run_status,
        )

        run_event_page.additional_properties = d
        return run_event_page

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
