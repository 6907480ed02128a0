"""The runner of answers that were recorded before the run: no model is called, except by a grader that asks one."""

from collections.abc import Mapping

from pydantic import JsonValue

from evalrouter_server.catalog.items import Item, Recorded
from evalrouter_server.gateway.metering import BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.grading import GraderSpec, LimitGrader
from evalrouter_server.quoting.price import Usage
from evalrouter_server.runners.assess import Assessor
from evalrouter_server.runners.failures import outcome_of
from evalrouter_server.runners.outcome import Failed, Graded, Outcome
from evalrouter_server.runners.submission import NotAssessed, Submission


async def grade_recorded(
    assessor: Assessor, judge: RunRoute | None, grader: GraderSpec, item: Item, *, task_id: str
) -> Outcome:
    """Grade the answer that an item came with.

    Args:
        assessor: Assesses the answer.
        judge: The run's way to its judge; None: it has none.
        grader: The benchmark's grader.
        item: The task's item.
        task_id: The task, which names the judge's calls.

    Returns:
        What came of it. An answer that is not there is an outcome with the reason, and never a wrong answer.
    """
    recorded = item.recorded
    if recorded is None:
        return Failed("no_recorded_answer", "The item came with no recorded answer.")
    if recorded.output is None and not isinstance(grader, LimitGrader):
        return Failed(
            recorded.missing_code or "no_recorded_answer",
            f"The trace {recorded.trace_id} was not graded: {recorded.missing}.",
            details=_details(recorded, None),
        )
    try:
        assessment = await assessor.assess(Submission(grader, item, recorded.output or "", None, judge, task_id))
    except NotAssessed as error:
        return Failed(error.code, error.message, error.charge_microusd, details=_details(recorded, None))
    except (BudgetExhausted, CallFailed, RunStopped) as error:
        return outcome_of(error)
    return Graded(
        output=recorded.output or "",
        verdict=assessment.verdict,
        details=_details(recorded, assessment.details),
        finish_reason=None,
        usage=Usage(),
        charge_microusd=assessment.charge_microusd,
        latency_seconds=recorded.seconds,
        model_served=None,
    )


def _details(recorded: Recorded, graders: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """What the grader notes, and the trace with what it took; the answer stands in the result itself."""
    said = recorded.document()
    trace = {name: said[name] for name in ("trace_id", "source_trace_id", "seconds", "tokens", "cost_usd", "complete")}
    return {**(graders or {}), "trace": trace}
