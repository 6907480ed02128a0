"""How a plan's maximum charge comes about, line by line."""

from dataclasses import dataclass
from decimal import Decimal

from evalrouter_server.quoting.plan import CALLS_PER_LOST_TRY, JUDGE_CALLS, Plan, PlannedAgent
from evalrouter_server.quoting.price import Price, Rates


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an explanation.

    Attributes:
        label: What it is about, in a few words.
        detail: The numbers that it is made of.
        amount_microusd: What it adds to the maximum charge, in micro-USD; None where it adds nothing by itself.
    """

    label: str
    detail: str
    amount_microusd: int | None = None


def explain(plan: Plan) -> list[Line]:
    """Explain a plan's maximum charge.

    Args:
        plan: The plan.

    Returns:
        Lines; the last one's amount is the maximum charge and the sum of the amounts before it.
    """
    if plan.model is None:
        return _of_remote_agent(plan)
    if plan.agent is not None:
        return _of_agent(plan, plan.agent, plan.model.price)
    if plan.model.is_recorded:
        return _of_recorded(plan)
    price = plan.model.price
    largest = max(plan.calls, key=lambda call: call.worst_case_microusd)
    longest = max(call.input_tokens for call in plan.calls)
    tiers = (tier for tier in price.tiers if longest > tier.above_input_tokens)
    return [
        Line("Tasks", _tasks(plan)),
        Line("Price", f"{_rates(price)}; from {price.source} {price.version}"),
        *(Line(f"Price above {tier.above_input_tokens:,} input tokens", _rates(tier)) for tier in tiers),
        Line(
            "Dearest call",
            f"up to {largest.input_tokens:,} input and {largest.output_tokens:,} output tokens:"
            f" {_usd(largest.worst_case_microusd)} USD",
        ),
        *_judge(plan),
        Line("Calls", f"the worst cases of all {plan.task_count:,} calls, added up", plan.calls_microusd),
        *_total(plan),
    ]


def _of_recorded(plan: Plan) -> list[Line]:
    answers = Line("Answers", "as they were recorded: no model is asked for them", plan.calls_microusd)
    return [Line("Tasks", _tasks(plan)), answers, *_judge(plan), *_total(plan)]


def _total(plan: Plan) -> list[Line]:
    return [
        _lost_tries(plan),
        _maximum(plan),
    ]


def _lost_tries(plan: Plan) -> Line:
    return Line(
        "Lost tries",
        f"allowance for {plan.lost_tries:,} (one in {CALLS_PER_LOST_TRY} calls, at least one)"
        " at the worst case of the dearest call",
        plan.lost_tries_microusd,
    )


def _maximum(plan: Plan) -> Line:
    return Line("Maximum charge", f"{_usd(plan.maximum_charge_microusd)} USD", plan.maximum_charge_microusd)


def _judge(plan: Plan) -> list[Line]:
    if plan.judge is None:
        return []
    model, price = plan.judge.model, plan.judge.model.price
    largest = max(plan.calls, key=lambda call: call.judge_microusd)
    tokens = f"{largest.judge_input_tokens:,} input and {plan.judge.output_token_limit:,} output tokens"
    return [
        Line(
            "Judge",
            f"{model.provider}/{model.slug}: {_rates(price)}; from {price.source} {price.version}",
        ),
        Line("Dearest call of the judge", f"up to {tokens}: {_usd(largest.judge_microusd)} USD"),
        Line(
            "Calls of the judge",
            f"the worst cases of {JUDGE_CALLS} calls for each of {plan.task_count:,} tasks, added up; the second only"
            " where a reply cannot be read",
            plan.judge_microusd,
        ),
    ]


def _of_remote_agent(plan: Plan) -> list[Line]:
    assert plan.agent is not None, "a plan without a model has an agent"
    return [
        Line("Tasks", _tasks(plan)),
        Line("Agent", f"{_named(plan.agent)} (remote, {plan.agent.protocol or 'A2A'})"),
        Line("External cost", "what the agent spends is outside the meter: it is neither known nor limited here"),
        *_judge(plan),
        *([] if plan.judge is None else [_lost_tries(plan)]),
        _maximum(plan),
    ]


def _named(agent: PlannedAgent) -> str:
    return agent.name if agent.version is None else f"{agent.name} {agent.version}"


def _of_agent(plan: Plan, agent: PlannedAgent, price: Price) -> list[Line]:
    plain = max(call.worst_case_microusd for call in plan.calls)
    judge = "" if plan.judge is None else "; the judge's calls are paid from it too"
    return [
        Line("Tasks", _tasks(plan)),
        Line("Agent", f"{_named(agent)} ({agent.kind}{', hosted by the server' if agent.hosted else ''})"),
        Line("Price", f"{_rates(price)}; from {price.source} {price.version}"),
        Line(
            "Calls",
            "an agent's calls cannot be counted beforehand, so the maximum charge is the cap itself: max_cost, or all"
            f" that is available{judge}. One plain call of a task may cost up to {_usd(plain)} USD",
        ),
        _maximum(plan),
    ]


def _tasks(plan: Plan) -> str:
    of_all = f"{len(plan.calls):,} of {plan.coverage.benchmark_task_count:,} items"
    by_group = "" if plan.coverage.stratify is None else " from each group in proportion to its size"
    drawn = "" if plan.coverage.mode == "full" else f", drawn with seed {plan.coverage.seed}{by_group}"
    repeated = "" if plan.repeats == 1 else f", {plan.repeats} times each: {plan.task_count:,} tasks"
    return f"{of_all} of {plan.benchmark.slug}@{plan.benchmark.version}{drawn}{repeated}"


def _rates(rates: Rates) -> str:
    kinds = [f"input {rates.input_usd_per_mtok}"]
    if rates.cached_input_usd_per_mtok is not None:
        kinds.append(f"cached input {rates.cached_input_usd_per_mtok}")
    if rates.cache_write_usd_per_mtok is not None:
        kinds.append(f"cache write {rates.cache_write_usd_per_mtok}")
    kinds.append(f"output {rates.output_usd_per_mtok}")
    return f"{', '.join(kinds)} USD per million tokens"


def _usd(microusd: int) -> str:
    return f"{Decimal(microusd).scaleb(-6):f}"
