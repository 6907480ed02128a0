# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.agent_ref import AgentRef
    from ..models.benchmark_ref import BenchmarkRef
    from ..models.concurrency_plan import ConcurrencyPlan
    from ..models.coverage_plan import CoveragePlan
    from ..models.model_ref import ModelRef
    from ..models.plan_line import PlanLine
    from ..models.price import Price


T = TypeVar("T", bound="Plan")


@_attrs_define
class Plan:
    """Exactly what would be run, frozen.

    Attributes:
        benchmark (BenchmarkRef):
        content_digest (str):
        model (ModelRef | None): Null: a remote agent brings its own.
        agent (AgentRef | None): Who works on the tasks; null: the server asks the model itself.
        price (None | Price): The model's; null where there is none.
        coverage (CoveragePlan):
        item_ids (list[str]): The exact items chosen, in the order of the benchmark.
        repeats (int):
        concurrency (ConcurrencyPlan):
        call_count (int):
        input_token_bound (int): Upper bound of all calls' input tokens together.
        output_token_limit (int): Output tokens that each call is limited to.
        lost_try_allowance (int): Tries whose answer may be lost and which are paid for again.
        lines (list[PlanLine]):
    """

    benchmark: BenchmarkRef
    content_digest: str
    model: ModelRef | None
    agent: AgentRef | None
    price: None | Price
    coverage: CoveragePlan
    item_ids: list[str]
    repeats: int
    concurrency: ConcurrencyPlan
    call_count: int
    input_token_bound: int
    output_token_limit: int
    lost_try_allowance: int
    lines: list[PlanLine]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.agent_ref import AgentRef  # noqa: PLC0415
        from ..models.model_ref import ModelRef  # noqa: PLC0415
        from ..models.price import Price  # noqa: PLC0415

        benchmark = self.benchmark.to_dict()

        content_digest = self.content_digest

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

        price: dict[str, Any] | None
        if isinstance(self.price, Price):
            price = self.price.to_dict()
        else:
            price = self.price

        coverage = self.coverage.to_dict()

        item_ids = self.item_ids

        repeats = self.repeats

        concurrency = self.concurrency.to_dict()

        call_count = self.call_count

        input_token_bound = self.input_token_bound

        output_token_limit = self.output_token_limit

        lost_try_allowance = self.lost_try_allowance

        lines = []
        for lines_item_data in self.lines:
            lines_item = lines_item_data.to_dict()
            lines.append(lines_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "benchmark": benchmark,
                "content_digest": content_digest,
                "model": model,
                "agent": agent,
                "price": price,
                "coverage": coverage,
                "item_ids": item_ids,
                "repeats": repeats,
                "concurrency": concurrency,
                "call_count": call_count,
                "input_token_bound": input_token_bound,
                "output_token_limit": output_token_limit,
                "lost_try_allowance": lost_try_allowance,
                "lines": lines,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_ref import AgentRef  # noqa: PLC0415
        from ..models.benchmark_ref import BenchmarkRef  # noqa: PLC0415
        from ..models.concurrency_plan import ConcurrencyPlan  # noqa: PLC0415
        from ..models.coverage_plan import CoveragePlan  # noqa: PLC0415
        from ..models.model_ref import ModelRef  # noqa: PLC0415
        from ..models.plan_line import PlanLine  # noqa: PLC0415
        from ..models.price import Price  # noqa: PLC0415

        d = dict(src_dict)
        benchmark = BenchmarkRef.from_dict(d.pop("benchmark"))

        content_digest = d.pop("content_digest")

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

        def _parse_price(data: object) -> None | Price:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                price_type_0 = Price.from_dict(data)

                return price_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Price, data)

        price = _parse_price(d.pop("price"))

        coverage = CoveragePlan.from_dict(d.pop("coverage"))

        item_ids = cast(list[str], d.pop("item_ids"))

        repeats = d.pop("repeats")

        concurrency = ConcurrencyPlan.from_dict(d.pop("concurrency"))

        call_count = d.pop("call_count")

        input_token_bound = d.pop("input_token_bound")

        output_token_limit = d.pop("output_token_limit")

        lost_try_allowance = d.pop("lost_try_allowance")

        lines = []
        _lines = d.pop("lines")
        for lines_item_data in _lines:
            lines_item = PlanLine.from_dict(lines_item_data)

            lines.append(lines_item)

        plan = cls(
            benchmark=benchmark,
            content_digest=content_digest,
            model=model,
            agent=agent,
            price=price,
            coverage=coverage,
            item_ids=item_ids,
            repeats=repeats,
            concurrency=concurrency,
            call_count=call_count,
            input_token_bound=input_token_bound,
            output_token_limit=output_token_limit,
            lost_try_allowance=lost_try_allowance,
            lines=lines,
        )

        plan.additional_properties = d
        return plan

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
