# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.trace_name import TraceName


T = TypeVar("T", bound="TraceBatchReceipt")


@_attrs_define
class TraceBatchReceipt:
    """
    Attributes:
        batch_id (str):
        received (int): Spans in the batch.
        inserted (int): Spans that were new; 0 for a batch that was taken before.
        duplicates (int): Spans that were there with the same content.
        late (int): New spans of traces that had been sealed.
        content_dropped (int): New spans whose content was dropped, because the connection stores none.
        replayed (bool): Whether the batch had been taken before.
        traces (list[TraceName]): The traces of the batch that the server holds.
    """

    batch_id: str
    received: int
    inserted: int
    duplicates: int
    late: int
    content_dropped: int
    replayed: bool
    traces: list[TraceName]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        batch_id = self.batch_id

        received = self.received

        inserted = self.inserted

        duplicates = self.duplicates

        late = self.late

        content_dropped = self.content_dropped

        replayed = self.replayed

        traces = []
        for traces_item_data in self.traces:
            traces_item = traces_item_data.to_dict()
            traces.append(traces_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "batch_id": batch_id,
                "received": received,
                "inserted": inserted,
                "duplicates": duplicates,
                "late": late,
                "content_dropped": content_dropped,
                "replayed": replayed,
                "traces": traces,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trace_name import TraceName  # noqa: PLC0415

        d = dict(src_dict)
        batch_id = d.pop("batch_id")

        received = d.pop("received")

        inserted = d.pop("inserted")

        duplicates = d.pop("duplicates")

        late = d.pop("late")

        content_dropped = d.pop("content_dropped")

        replayed = d.pop("replayed")

        traces = []
        _traces = d.pop("traces")
        for traces_item_data in _traces:
            traces_item = TraceName.from_dict(traces_item_data)

            traces.append(traces_item)

        trace_batch_receipt = cls(
            batch_id=batch_id,
            received=received,
            inserted=inserted,
            duplicates=duplicates,
            late=late,
            content_dropped=content_dropped,
            replayed=replayed,
            traces=traces,
        )

        trace_batch_receipt.additional_properties = d
        return trace_batch_receipt

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
