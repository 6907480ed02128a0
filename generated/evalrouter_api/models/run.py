# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_ref import AgentRef
    from ..models.benchmark_ref import BenchmarkRef
    from ..models.coverage import Coverage
    from ..models.group_score import GroupScore
    from ..models.json_object import JsonObject
    from ..models.metric import Metric
    from ..models.model_ref import ModelRef


T = TypeVar("T", bound="Run")


@_attrs_define
class Run:
    """
    Attributes:
        id (str):
        status (str): `queued`, `running`, `paused`, `cancelling`, then one of `completed`, `partial`, `cancelled`,
            `failed`.
        status_reason (None | str): Why the run is paused, partial, cancelled or failed.
        benchmark (BenchmarkRef):
        model (ModelRef | None): Null: a remote agent brings its own.
        agent (AgentRef | None): Who works on the tasks; null: the server asks the model itself.
        models_served (list[str]): The models that the provider says answered.
        name (None | str):
        metadata (JsonObject):
        quote_id (str):
        coverage (Coverage):
        is_sample (bool):
        is_partial (bool): Whether some selected tasks have no grade.
        concurrency (int):
        repeats (int):
        score (float | None): The primary metric over graded tasks; null where nothing was graded.
        metrics (list[Metric]):
        groups (list[GroupScore]):
        cap_microusd (int): Micro-USD; 1,000,000 is one dollar.
        max_cost_microusd (int | None):
        maximum_charge_microusd (int): Micro-USD; 1,000,000 is one dollar.
        charge_microusd (int): Micro-USD; 1,000,000 is one dollar.
        reserved_microusd (int): Micro-USD; 1,000,000 is one dollar.
        overage_microusd (int): What providers reported beyond a call's bound; not charged.
        flags (list[str]): What a reader of the score must know: `overage`, `usage_estimated`, `usage_unknown`,
            `other_model_served`, `unattributed_calls`, `provider_cost_differs`, `hosted_tools_left_out`, `unmetered` (the
            agent finished tasks without a metered call), `external_cost` (a remote agent's own cost is outside the meter).
        created_at (datetime.datetime):
        started_at (datetime.datetime | None):
        ended_at (datetime.datetime | None):
        last_seq (int): The newest event's number.
    """

    id: str
    status: str
    status_reason: None | str
    benchmark: BenchmarkRef
    model: ModelRef | None
    agent: AgentRef | None
    models_served: list[str]
    name: None | str
    metadata: JsonObject
    quote_id: str
    coverage: Coverage
    is_sample: bool
    is_partial: bool
    concurrency: int
    repeats: int
    score: float | None
    metrics: list[Metric]
    groups: list[GroupScore]
    cap_microusd: int
    max_cost_microusd: int | None
    maximum_charge_microusd: int
    charge_microusd: int
    reserved_microusd: int
    overage_microusd: int
    flags: list[str]
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    ended_at: datetime.datetime | None
    last_seq: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.agent_ref import AgentRef  # noqa: PLC0415
        from ..models.model_ref import ModelRef  # noqa: PLC0415

        id = self.id

        status = self.status

        status_reason: None | str
        status_reason = self.status_reason

        benchmark = self.benchmark.to_dict()

        model: dict[str, Any] | None
        if isinstance(self.model, ModelRef):
            model = self.model.to_dict()
        else:
            model = self.model

        agent: dict[str, Any] | None
        if isinstance(self.agent, AgentRef):
            agent = self.agent.to_dict()
        else:
            agent = self.agent

        models_served = self.models_served

        name: None | str
        name = self.name

        metadata = self.metadata.to_dict()

        quote_id = self.quote_id

        coverage = self.coverage.to_dict()

        is_sample = self.is_sample

        is_partial = self.is_partial

        concurrency = self.concurrency

        repeats = self.repeats

        score: float | None
        score = self.score

        metrics = []
        for metrics_item_data in self.metrics:
            metrics_item = metrics_item_data.to_dict()
            metrics.append(metrics_item)

        groups = []
        for groups_item_data in self.groups:
            groups_item = groups_item_data.to_dict()
            groups.append(groups_item)

        cap_microusd = self.cap_microusd

        max_cost_microusd: int | None
        max_cost_microusd = self.max_cost_microusd

        maximum_charge_microusd = self.maximum_charge_microusd

        charge_microusd = self.charge_microusd

        reserved_microusd = self.reserved_microusd

        overage_microusd = self.overage_microusd

        flags = self.flags

        created_at = self.created_at.isoformat()

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        last_seq = self.last_seq

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "status": status,
                "status_reason": status_reason,
                "benchmark": benchmark,
                "model": model,
                "agent": agent,
                "models_served": models_served,
                "name": name,
                "metadata": metadata,
                "quote_id": quote_id,
                "coverage": coverage,
                "is_sample": is_sample,
                "is_partial": is_partial,
                "concurrency": concurrency,
                "repeats": repeats,
                "score": score,
                "metrics": metrics,
                "groups": groups,
                "cap_microusd": cap_microusd,
                "max_cost_microusd": max_cost_microusd,
                "maximum_charge_microusd": maximum_charge_microusd,
                "charge_microusd": charge_microusd,
                "reserved_microusd": reserved_microusd,
                "overage_microusd": overage_microusd,
                "flags": flags,
                "created_at": created_at,
                "started_at": started_at,
                "ended_at": ended_at,
                "last_seq": last_seq,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_ref import AgentRef  # noqa: PLC0415
        from ..models.benchmark_ref import BenchmarkRef  # noqa: PLC0415
        from ..models.coverage import Coverage  # noqa: PLC0415
        from ..models.group_score import GroupScore  # noqa: PLC0415
        from ..models.json_object import JsonObject  # noqa: PLC0415
        from ..models.metric import Metric  # noqa: PLC0415
        from ..models.model_ref import ModelRef  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        def _parse_status_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        status_reason = _parse_status_reason(d.pop("status_reason"))

        benchmark = BenchmarkRef.from_dict(d.pop("benchmark"))

        def _parse_model(data: object) -> ModelRef | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                model_type_0 = ModelRef.from_dict(data)

                return model_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ModelRef | None, data)

        model = _parse_model(d.pop("model"))

        def _parse_agent(data: object) -> AgentRef | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                agent_type_0 = AgentRef.from_dict(data)

                return agent_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AgentRef | None, data)

        agent = _parse_agent(d.pop("agent"))

        models_served = cast(list[str], d.pop("models_served"))

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        metadata = JsonObject.from_dict(d.pop("metadata"))

        quote_id = d.pop("quote_id")

        coverage = Coverage.from_dict(d.pop("coverage"))

        is_sample = d.pop("is_sample")

        is_partial = d.pop("is_partial")

        concurrency = d.pop("concurrency")

        repeats = d.pop("repeats")

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))

        metrics = []
        _metrics = d.pop("metrics")
        for metrics_item_data in _metrics:
            metrics_item = Metric.from_dict(metrics_item_data)

            metrics.append(metrics_item)

        groups = []
        _groups = d.pop("groups")
        for groups_item_data in _groups:
            groups_item = GroupScore.from_dict(groups_item_data)

            groups.append(groups_item)

        cap_microusd = d.pop("cap_microusd")

        def _parse_max_cost_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        max_cost_microusd = _parse_max_cost_microusd(d.pop("max_cost_microusd"))

        maximum_charge_microusd = d.pop("maximum_charge_microusd")

        charge_microusd = d.pop("charge_microusd")

        reserved_microusd = d.pop("reserved_microusd")

        overage_microusd = d.pop("overage_microusd")

        flags = cast(list[str], d.pop("flags"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_started_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)

                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        started_at = _parse_started_at(d.pop("started_at"))

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

        last_seq = d.pop("last_seq")

        run = cls(
            id=id,
            status=status,
            status_reason=status_reason,
            benchmark=benchmark,
            model=model,
            agent=agent,
            models_served=models_served,
            name=name,
            metadata=metadata,
            quote_id=quote_id,
            coverage=coverage,
            is_sample=is_sample,
            is_partial=is_partial,
            concurrency=concurrency,
            repeats=repeats,
            score=score,
            metrics=metrics,
            groups=groups,
            cap_microusd=cap_microusd,
            max_cost_microusd=max_cost_microusd,
            maximum_charge_microusd=maximum_charge_microusd,
            charge_microusd=charge_microusd,
            reserved_microusd=reserved_microusd,
            overage_microusd=overage_microusd,
            flags=flags,
            created_at=created_at,
            started_at=started_at,
            ended_at=ended_at,
            last_seq=last_seq,
        )

        run.additional_properties = d
        return run

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
