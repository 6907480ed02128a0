# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.trace_span import TraceSpan


T = TypeVar("T", bound="TraceBatch")


@_attrs_define
class TraceBatch:
    """
    Attributes:
        batch_id (str): Unique in the connection.
        digest (str):
        spans (list[TraceSpan]):
    """

    batch_id: str
    digest: str
    spans: list[TraceSpan]

    def to_dict(self) -> dict[str, Any]:
        batch_id = self.batch_id

        digest = self.digest

        spans = []
        for spans_item_data in self.spans:
            spans_item = spans_item_data.to_dict()
            spans.append(spans_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "batch_id": batch_id,
                "digest": digest,
                "spans": spans,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trace_span import TraceSpan  # noqa: PLC0415

        d = dict(src_dict)
        batch_id = d.pop("batch_id")

        digest = d.pop("digest")

        spans = []
        _spans = d.pop("spans")
        for spans_item_data in _spans:
            spans_item = TraceSpan.from_dict(spans_item_data)

            spans.append(spans_item)

        trace_batch = cls(
            batch_id=batch_id,
            digest=digest,
            spans=spans,
        )

        return trace_batch
