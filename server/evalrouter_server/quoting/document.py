"""The plan as the contract shows it."""

from dataclasses import asdict

from pydantic import JsonValue

from evalrouter_server.quoting.explain import explain
from evalrouter_server.quoting.plan import Plan


def agent_document(plan: Plan) -> dict[str, JsonValue] | None:
    """The contract's `AgentRef` of a stored plan; None where the server asks the model itself."""
    return None if plan.agent is None else plan.agent.model_dump(mode="json", exclude={"model_aliases", "protocol"})


def model_document(plan: Plan) -> dict[str, JsonValue] | None:
    """The contract's `ModelRef` of a stored plan; None where a remote agent brings its own."""
    if plan.model is None:
        return None
    return plan.model.model_dump(mode="json", include={"id", "slug", "provider", "name"})


def plan_document(plan: Plan) -> dict[str, JsonValue]:
    """The contract's `Plan` of a stored plan: without the route, with the lines that explain the maximum charge."""
    return {
        "benchmark": plan.benchmark.model_dump(mode="json", exclude={"content_digest"}),
        "content_digest": plan.benchmark.content_digest,
        "model": model_document(plan),
        "agent": agent_document(plan),
        "price": None if plan.model is None else plan.model.price.model_dump(mode="json"),
        "coverage": plan.coverage.model_dump(mode="json"),
        "item_ids": list(plan.item_ids),
        "repeats": plan.repeats,
        "concurrency": plan.concurrency.model_dump(mode="json"),
        "call_count": plan.call_count,
        "input_token_bound": plan.input_token_bound,
        "output_token_limit": plan.output_token_limit,
        "lost_try_allowance": plan.lost_tries,
        "lines": [asdict(line) for line in explain(plan)],
    }
