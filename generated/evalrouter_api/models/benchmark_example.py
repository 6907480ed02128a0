# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.json_object import JsonObject


T = TypeVar("T", bound="BenchmarkExample")


@_attrs_define
class BenchmarkExample:
    """A row as it would be asked and graded.

    Attributes:
        row (int):
        messages (list[JsonObject]):
        target (JsonObject):
        group (None | str):
    """

    row: int
    messages: list[JsonObject]
    target: JsonObject
    group: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)

        target = self.target.to_dict()

        group: None | str
        group = self.group

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "row": row,
                "messages": messages,
                "target": target,
                "group": group,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415

        d = dict(src_dict)
        row = d.pop("row")

        messages = []
        _messages = d.pop("messages")
        for messages_item_data in _messages:
            messages_item = JsonObject.from_dict(messages_item_data)

            messages.append(messages_item)

        target = JsonObject.from_dict(d.pop("target"))

        def _parse_group(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        group = _parse_group(d.pop("group"))

        benchmark_example = cls(
            row=row,
            messages=messages,
            target=target,
            group=group,
        )

        benchmark_example.additional_properties = d
        return benchmark_example

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
