# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.json_object import JsonObject


T = TypeVar("T", bound="RunEvent")


@_attrs_define
class RunEvent:
    """
    Attributes:
        run_id (str):
        seq (int):
        type_ (str): `run.created`, `run.started`, `run.paused`, `run.resumed`, `run.cancelling`, `task.graded`,
            `task.failed`, `run.ended`; with an agent also `task.leased`, `task.note`, `task.returned`, `task.dropped`; with
            a remote one `task.sent`.
        at (datetime.datetime):
        data (JsonObject):
    """

    run_id: str
    seq: int
    type_: str
    at: datetime.datetime
    data: JsonObject
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        run_id = self.run_id

        seq = self.seq

        type_ = self.type_

        at = self.at.isoformat()

        data = self.data.to_dict()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "run_id": run_id,
                "seq": seq,
                "type": type_,
                "at": at,
                "data": data,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415

        d = dict(src_dict)
        run_id = d.pop("run_id")

        seq = d.pop("seq")

        type_ = d.pop("type")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        data = JsonObject.from_dict(d.pop("data"))

        run_event = cls(
            run_id=run_id,
            seq=seq,
            type_=type_,
            at=at,
            data=data,
        )

        run_event.additional_properties = d
        return run_event

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
