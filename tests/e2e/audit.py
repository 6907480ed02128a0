"""Whether a run's bill is exact: by its calls, by the ledger, and by the provider's own log of requests."""

from collections import Counter
from decimal import Decimal

from evalrouter import EvalRouter, Run
from evalrouter.types import Call, CallTry, TaskResult
from tests.e2e.provider import exact_charge, prompt_of


def audit(client: EvalRouter, run: Run, asked: Counter[str]) -> list[CallTry]:
    """Check the whole bill of a run whose tasks are the only callers, and whose provider never refused.

    Args:
        client: The run's client.
        run: An ended run.
        asked: How often the provider was sent each prompt, for this run alone.

    Returns:
        The tries of unknown outcome; each was charged its reservation.
    """
    results, calls = list(run.results()), list(run.calls())
    audit_calls(client, run, calls)
    assert len({result.task_id for result in results}) == len(results)
    by_task = {call.task_id: call for call in calls}
    assert len(by_task) == len(calls)
    assert by_task.keys() >= {result.task_id for result in results}
    for result in results:
        _audit_task(result, by_task[result.task_id], asked)
    lost = [attempt for call in calls for attempt in call.tries if attempt.status == "unknown"]
    assert asked.total() <= len(calls) + len(lost)
    return lost


def audit_calls(client: EvalRouter, run: Run, calls: list[Call]) -> None:
    """Check that calls explain every charge of a run, and that the ledger agrees."""
    for call in calls:
        assert call.status == "settled", call
        assert call.charge == sum((_fair_charge(call, attempt) for attempt in call.tries), Decimal())
        assert call.overage == 0
    assert run.cost == sum((call.charge for call in calls), Decimal())
    assert run.cost <= run.cap
    assert run.data.reserved == 0
    verification = client.wallet.verify()
    assert verification.ok, verification.differences


def _audit_task(result: TaskResult, call: Call, asked: Counter[str]) -> None:
    sent = asked[prompt_of(dict(result.inputs))]
    assert 1 <= sent <= len(call.tries), (sent, call)
    assert [attempt.status for attempt in call.tries].count("settled") == 1, call
    assert result.charge == call.charge
    assert result.usage == call.usage


def _fair_charge(call: Call, attempt: CallTry) -> Decimal:
    fair = {"settled": exact_charge(call.usage), "unknown": attempt.reservation, "released": Decimal()}
    assert attempt.charge == fair[attempt.status], call
    return attempt.charge
