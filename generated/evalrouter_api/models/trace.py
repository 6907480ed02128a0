# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.observed_tokens import ObservedTokens


T = TypeVar("T", bound="Trace")


@_attrs_define
class Trace:
    """
    Attributes:
        id (str): A UUID.
        connection_id (str):
        source_trace_id (str): Its ID where it was recorded.
        name (None | str): The root's name.
        status (str): The root's: `ok`, `error` or `unset`, which means that nobody said; it is never success.
        coverage (str): `recorded`, or `observed` where any span is.
        origins (list[str]):
        started_at (datetime.datetime):
        ended_at (datetime.datetime | None):
        duration_seconds (float | None):
        span_count (int):
        error_span_count (int):
        late_span_count (int):
        tokens (ObservedTokens): Counters as the source reports them; null where it reports none. A trace's are the sums
            over its model and embedding spans.
        cost_usd (None | str): Sum of what the source reports, in USD; observed, not charged.
        sealed_at (datetime.datetime | None):
        complete (bool):
        received_at (datetime.datetime): When its last span arrived.
        expires_at (datetime.datetime): When it is deleted.
    """

    id: str
    connection_id: str
    source_trace_id: str
    name: None | str
    status: str
    coverage: str
    origins: list[str]
    started_at: datetime.datetime
    ended_at: datetime.datetime | None
    duration_seconds: float | None
    span_count: int
    error_span_count: int
    late_span_count: int
    tokens: ObservedTokens
    cost_usd: None | str
    sealed_at: datetime.datetime | None
    complete: bool
    received_at: datetime.datetime
    expires_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        connection_id = self.connection_id

        source_trace_id = self.source_trace_id

        name: None | str
        name = self.name

        status = self.status

        coverage = self.coverage

        origins = self.origins

        started_at = self.started_at.isoformat()

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        duration_seconds: float | None
        duration_seconds = self.duration_seconds

        span_count = self.span_count

        error_span_count = self.error_span_count

        late_span_count = self.late_span_count

        tokens = self.tokens.to_dict()

        cost_usd: None | str
        cost_usd = self.cost_usd

        sealed_at: None | str
        if isinstance(self.sealed_at, datetime.datetime):
            sealed_at = self.sealed_at.isoformat()
        else:
            sealed_at = self.sealed_at

        complete = self.complete

        received_at = self.received_at.isoformat()

        expires_at = self.expires_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "connection_id": connection_id,
                "source_trace_id": source_trace_id,
                "name": name,
                "status": status,
                "coverage": coverage,
                "origins": origins,
                "started_at": started_at,
                "ended_at": ended_at,
                "duration_seconds": duration_seconds,
                "span_count": span_count,
                "error_span_count": error_span_count,
                "late_span_count": late_span_count,
                "tokens": tokens,
                "cost_usd": cost_usd,
                "sealed_at": sealed_at,
                "complete": complete,
                "received_at": received_at,
                "expires_at": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.observed_tokens import ObservedTokens  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        connection_id = d.pop("connection_id")

        source_trace_id = d.pop("source_trace_id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        status = d.pop("status")

        coverage = d.pop("coverage")

        origins = cast(list[str], d.pop("origins"))

        started_at = datetime.datetime.fromisoformat(d.pop("started_at"))

        def _parse_ended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = datetime.datetime.fromisoformat(data)

                return ended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ended_at = _parse_ended_at(d.pop("ended_at"))

        def _parse_duration_seconds(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        duration_seconds = _parse_duration_seconds(d.pop("duration_seconds"))

        span_count = d.pop("span_count")

        error_span_count = d.pop("error_span_count")

        late_span_count = d.pop("late_span_count")

        tokens = ObservedTokens.from_dict(d.pop("tokens"))

        def _parse_cost_usd(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cost_usd = _parse_cost_usd(d.pop("cost_usd"))

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

        complete = d.pop("complete")

        received_at = datetime.datetime.fromisoformat(d.pop("received_at"))

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        trace = cls(
            id=id,
            connection_id=connection_id,
            source_trace_id=source_trace_id,
            name=name,
            status=status,
            coverage=coverage,
            origins=origins,
            started_at=started_at,
            ended_at=ended_at,
            duration_seconds=duration_seconds,
            span_count=span_count,
            error_span_count=error_span_count,
            late_span_count=late_span_count,
            tokens=tokens,
            cost_usd=cost_usd,
            sealed_at=sealed_at,
            complete=complete,
            received_at=received_at,
            expires_at=expires_at,
        )

        trace.additional_properties = d
        return trace

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
