# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.json_object import JsonObject
    from ..models.observed_tokens import ObservedTokens


T = TypeVar("T", bound="Span")


@_attrs_define
class Span:
    """
    Attributes:
        span_id (str):
        parent_span_id (None | str):
        depth (int): 0 for a root.
        parent_missing (bool): Whether it names a parent that is not there.
        name (None | str):
        kind (str):
        status (str): `unset` is never success.
        started_at (datetime.datetime):
        ended_at (datetime.datetime | None):
        duration_seconds (float | None):
        tokens (ObservedTokens): Counters as the source reports them; null where it reports none. A trace's are the sums
            over its model and embedding spans.
        cost_usd (None | str):
        attributes (JsonObject):
        input_ (Any): Any JSON value; null where there is none.
        output (Any): Any JSON value; null where there is none.
        error (Any): Any JSON value; null where there is none.
        origin (str):
        coverage (str):
        late (bool): Whether it arrived after a seal.
    """

    span_id: str
    parent_span_id: None | str
    depth: int
    parent_missing: bool
    name: None | str
    kind: str
    status: str
    started_at: datetime.datetime
    ended_at: datetime.datetime | None
    duration_seconds: float | None
    tokens: ObservedTokens
    cost_usd: None | str
    attributes: JsonObject
    input_: Any
    output: Any
    error: Any
    origin: str
    coverage: str
    late: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        span_id = self.span_id

        parent_span_id: None | str
        parent_span_id = self.parent_span_id

        depth = self.depth

        parent_missing = self.parent_missing

        name: None | str
        name = self.name

        kind = self.kind

        status = self.status

        started_at = self.started_at.isoformat()

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        duration_seconds: float | None
        duration_seconds = self.duration_seconds

        tokens = self.tokens.to_dict()

        cost_usd: None | str
        cost_usd = self.cost_usd

        attributes = self.attributes.to_dict()

        input_ = self.input_

        output = self.output

        error = self.error

        origin = self.origin

        coverage = self.coverage

        late = self.late

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "span_id": span_id,
                "parent_span_id": parent_span_id,
                "depth": depth,
                "parent_missing": parent_missing,
                "name": name,
                "kind": kind,
                "status": status,
                "started_at": started_at,
                "ended_at": ended_at,
                "duration_seconds": duration_seconds,
                "tokens": tokens,
                "cost_usd": cost_usd,
                "attributes": attributes,
                "input": input_,
                "output": output,
                "error": error,
                "origin": origin,
                "coverage": coverage,
                "late": late,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415
        from ..models.observed_tokens import ObservedTokens  # noqa: PLC0415

        d = dict(src_dict)
        span_id = d.pop("span_id")

        def _parse_parent_span_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        parent_span_id = _parse_parent_span_id(d.pop("parent_span_id"))

        depth = d.pop("depth")

        parent_missing = d.pop("parent_missing")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        kind = d.pop("kind")

        status = d.pop("status")

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

        tokens = ObservedTokens.from_dict(d.pop("tokens"))

        def _parse_cost_usd(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cost_usd = _parse_cost_usd(d.pop("cost_usd"))

        attributes = JsonObject.from_dict(d.pop("attributes"))

        input_ = d.pop("input")

        output = d.pop("output")

        error = d.pop("error")

        origin = d.pop("origin")

        coverage = d.pop("coverage")

        late = d.pop("late")

        span = cls(
            span_id=span_id,
            parent_span_id=parent_span_id,
            depth=depth,
            parent_missing=parent_missing,
            name=name,
            kind=kind,
            status=status,
            started_at=started_at,
            ended_at=ended_at,
            duration_seconds=duration_seconds,
            tokens=tokens,
            cost_usd=cost_usd,
            attributes=attributes,
            input_=input_,
            output=output,
            error=error,
            origin=origin,
            coverage=coverage,
            late=late,
        )

        span.additional_properties = d
        return span

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
