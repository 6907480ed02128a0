"""The built-in runner: one chat call a task through the gateway's core, then the benchmark's own grader."""

from typing import Any

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.render import render
from evalrouter_server.gateway.completion import Completion
from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.failures import outcome_of
from evalrouter_server.runners.outcome import Failed, Graded, Outcome
from evalrouter_server.runners.submission import NotAssessed, Submission


async def run_task(
    gateway: Gateway,
    assessor: Assessor,
    route: RunRoute,
    judge: RunRoute | None,
    manifest: Manifest,
    item: Item,
    *,
    task_id: str,
) -> Outcome:
    """Work on one task.

    Args:
        gateway: Makes and meters the call; a call of this task that was settled before a crash is replayed.
        assessor: Assesses the answer.
        route: The run's way to its model.
        judge: The run's way to its judge; None: it has none.
        manifest: The benchmark version.
        item: The task's item.
        task_id: The task, which names its call.

    Returns:
        What came of it; failures of the provider are an outcome, not an exception.
    """
    body: dict[str, Any] = {
        "model": route.model_name,
        "messages": render(manifest.protocol, item),
        "temperature": manifest.protocol.temperature,
        "max_tokens": manifest.limits.max_output_tokens,
    }
    if manifest.protocol.stop:
        body["stop"] = list(manifest.protocol.stop)
    if manifest.protocol.reasoning_effort is not None:
        body["reasoning_effort"] = manifest.protocol.reasoning_effort
    try:
        completion = await gateway.complete(route, body, call_key=f"{task_id}:0", task_id=task_id)
        answer = Submission(manifest.grader, item, completion.text, completion.finish_reason, judge, task_id)
        return await _assess(assessor, answer, completion)
    except (BudgetExhausted, CallFailed, RunStopped) as error:
        return outcome_of(error)


async def _assess(assessor: Assessor, answer: Submission, completion: Completion) -> Graded | Failed:
    try:
        assessment = await assessor.assess(answer)
    except NotAssessed as error:
        charge = completion.charge_microusd + error.charge_microusd
        return Failed(error.code, error.message, charge, completion.usage)
    return Graded(
        output=completion.text,
        verdict=assessment.verdict,
        details=assessment.details,
        finish_reason=completion.finish_reason,
        usage=completion.usage,
        charge_microusd=completion.charge_microusd + assessment.charge_microusd,
        latency_seconds=completion.latency_seconds,
        model_served=completion.model_served,
    )
