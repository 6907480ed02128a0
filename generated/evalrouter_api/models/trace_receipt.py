# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="TraceReceipt")


@_attrs_define
class TraceReceipt:
    """What the server holds of a trace.

    Attributes:
        trace_id (str):
        server_trace_id (None | str): A UUID; null while nothing is held.
        complete (bool): Sealed, and exactly the sealed spans are held. A seal's answer: whether that seal holds.
        span_count (int): Spans held.
        digest (None | str): Of the spans held, as a seal states it; null while nothing is held.
        sealed_at (datetime.datetime | None): The last seal that was met.
        sealed_span_count (int | None):
        late_span_count (int): Spans that arrived after a seal.
    """

    trace_id: str
    server_trace_id: None | str
    complete: bool
    span_count: int
    digest: None | str
    sealed_at: datetime.datetime | None
    sealed_span_count: int | None
    late_span_count: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        trace_id = self.trace_id

        server_trace_id: None | str
        server_trace_id = self.server_trace_id

        complete = self.complete

        span_count = self.span_count

        digest: None | str
        digest = self.digest

        sealed_at: None | str
        if isinstance(self.sealed_at, datetime.datetime):
            sealed_at = self.sealed_at.isoformat()
        else:
            sealed_at = self.sealed_at

        sealed_span_count: int | None
        sealed_span_count = self.sealed_span_count

        late_span_count = self.late_span_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "trace_id": trace_id,
                "server_trace_id": server_trace_id,
                "complete": complete,
                "span_count": span_count,
                "digest": digest,
                "sealed_at": sealed_at,
                "sealed_span_count": sealed_span_count,
                "late_span_count": late_span_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        trace_id = d.pop("trace_id")

        def _parse_server_trace_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        server_trace_id = _parse_server_trace_id(d.pop("server_trace_id"))

        complete = d.pop("complete")

        span_count = d.pop("span_count")

        def _parse_digest(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        digest = _parse_digest(d.pop("digest"))

        def _parse_sealed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                sealed_at_type_0 = datetime.datetime.fromisoformat(data)

                return sealed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        sealed_at = _parse_sealed_at(d.pop("sealed_at"))

        def _parse_sealed_span_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        sealed_span_count = _parse_sealed_span_count(d.pop("sealed_span_count"))

        late_span_count = d.pop("late_span_count")

        trace_receipt = cls(
            trace_id=trace_id,
            server_trace_id=server_trace_id,
            complete=complete,
            span_count=span_count,
            digest=digest,
            sealed_at=sealed_at,
            sealed_span_count=sealed_span_count,
            late_span_count=late_span_count,
        )

        trace_receipt.additional_properties = d
        return trace_receipt

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
