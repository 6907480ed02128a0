"""How a run ends, from its results alone."""

import pytest
from evalrouter_server.engine.ending import Ending, decide
from evalrouter_server.metrics import ScoredTask


def ending(
    *scores: float, selected: int, failed: int = 0, cancelled: bool = False, stopped_because: str | None = None
) -> Ending:
    return decide(
        selected=selected,
        graded=[ScoredTask(f"item_{index}", score) for index, score in enumerate(scores)],
        failed=failed,
        first_error="upstream_unreachable: no connection" if failed else None,
        cancelled=cancelled,
        stopped_because=stopped_because,
        metric="accuracy",
        groups=(),
    )


def test_a_run_whose_tasks_are_all_graded_is_completed() -> None:
    ended = ending(1.0, 0.0, 1.0, 1.0, selected=4)
    assert (ended.status, ended.reason, ended.score) == ("completed", None, 0.75)
    assert [metric.n for metric in ended.metrics] == [4]


def test_failed_tasks_make_it_partial_and_are_not_wrong() -> None:
    ended = ending(1.0, 1.0, selected=3, failed=1)
    assert (ended.status, ended.score) == ("partial", 1.0)
    assert ended.reason is not None
    assert "1 of 3 tasks failed, the first with upstream_unreachable: no connection" in ended.reason


def test_a_run_without_a_grade_has_no_score() -> None:
    ended = ending(selected=2, failed=2)
    assert (ended.status, ended.score, ended.metrics) == ("failed", None, ())


def test_an_exhausted_budget_is_partial_with_its_reason() -> None:
    ended = ending(0.0, selected=5, stopped_because="budget_exhausted: nothing left")
    assert (ended.status, ended.reason, ended.score) == ("partial", "budget_exhausted: nothing left", 0.0)


@pytest.mark.parametrize("scores", [(), (1.0,), (1.0, 0.0)])
def test_a_cancelled_run_is_cancelled_and_keeps_its_grades(scores: tuple[float, ...]) -> None:
    ended = ending(*scores, selected=2, cancelled=True)
    assert ended.status == "cancelled"
    assert (ended.score is None) is (not scores)


def test_groups_are_shown_in_the_manifests_order_with_empty_ones() -> None:
    ended = decide(
        selected=2,
        graded=[ScoredTask("item_a", 1.0, "words"), ScoredTask("item_b", 0.0, "words")],
        failed=0,
        first_error=None,
        cancelled=False,
        stopped_because=None,
        metric="accuracy",
        groups=("facts", "words"),
    )
    assert [(group.name, group.score, group.n) for group in ended.groups] == [("facts", None, 0), ("words", 0.5, 2)]
