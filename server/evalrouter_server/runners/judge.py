"""The judge: a model that is asked through the gateway, inside the run's cap, for a verdict on an answer."""

from typing import Any

from pydantic import JsonValue

from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.gateway.metering import BoundExceeded, BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.grading import JudgeGrader, Verdict
from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.judge import judge_messages, read_ruling
from evalrouter_server.ledger.items import judge_call_key
from evalrouter_server.quoting.plan import JUDGE_CALLS
from evalrouter_server.runners.submission import Assessment, NotAssessed, Submission


async def judge(gateway: Gateway, grader: JudgeGrader, submission: Submission) -> Assessment:
    """Ask the run's judge for a verdict, and once more where its reply is not of the form that was asked for.

    A call that was settled before a crash is replayed, so that no answer is judged twice. An answer without a final
    text is wrong without a call.

    Args:
        gateway: Makes and meters the calls.
        grader: The judge's settings.
        submission: The answer and its task.

    Raises:
        NotAssessed: `judge_failed`: a call failed, or no reply was of the right form; the task is not graded.
        BudgetExhausted: The run's cap cannot pay for a call.
        RunStopped: The run takes no new calls.
    """
    route = submission.judge
    if route is None:
        raise NotAssessed("judge_failed", "The run's plan names no judge: start the run from a new quote.")
    answer = final_text(submission.output, submission.finish_reason).text.strip()
    if not answer:
        return Assessment(Verdict.none())
    item, charge, replies = submission.item, 0, list[JsonValue]()
    for number in range(JUDGE_CALLS):
        messages = judge_messages(grader, inputs=item.inputs, target=item.target, answer=answer, again=number > 0)
        try:
            completion = await gateway.complete(
                route,
                _body(route, grader, messages),
                call_key=judge_call_key(submission.task_id, number),
                task_id=submission.task_id,
            )
        except (BudgetExhausted, BoundExceeded, RunStopped):
            raise
        except CallFailed as error:
            charge += error.charge_microusd
            raise NotAssessed(
                "judge_failed", f"The judge's call failed ({error.code}: {error.message}).", charge
            ) from None
        charge += completion.charge_microusd
        replies.append(completion.text)
        ruling = read_ruling(grader, completion.text, completion.finish_reason)
        if ruling is not None:
            shown: list[JsonValue] = [dict(message) for message in messages]
            details: dict[str, JsonValue] = {
                "model": route.model_name,
                "messages": shown,
                "replies": replies,
                "reason": ruling.reason,
                "charge_microusd": charge,
            }
            return Assessment(ruling.verdict, {"judge": details}, charge)
    raise NotAssessed(
        "judge_failed", f"None of the judge's {JUDGE_CALLS} replies was the JSON object that it was asked for.", charge
    )


def _body(route: RunRoute, grader: JudgeGrader, messages: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "model": route.model_name,
        "messages": messages,
        "temperature": 0.0,
        "max_tokens": grader.max_output_tokens,
    }
