"""pass@k and pass^k against enumeration of every choice of k attempts, and the coverage of their intervals."""

import random
from itertools import combinations
from statistics import fmean

import pytest
from evalrouter_server.metrics import Metric, ScoredTask, attempt_metrics
from evalrouter_server.metrics.attempts import pass_all, pass_at
from evalrouter_server.metrics.intervals import wilson_interval
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats


def tasks(*questions: str) -> list[ScoredTask]:
    """A question a text: `110` has three attempts, of which the last is wrong."""
    return [ScoredTask(f"item_{place}", float(each)) for place, attempts in enumerate(questions) for each in attempts]


def metrics(scored: list[ScoredTask]) -> dict[str, Metric]:
    return {metric.name: metric for metric in attempt_metrics(scored)}


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_estimates_are_those_of_every_choice(case: tuple[int, int, int]) -> None:
    attempts, right, k = case
    choices = list(combinations([True] * right + [False] * (attempts - right), k))
    assert pass_at(attempts, right, k) == pytest.approx(fmean(any(choice) for choice in choices))
    assert pass_all(attempts, right, k) == pytest.approx(fmean(all(choice) for choice in choices))


def test_estimates_agree_with_the_hypergeometric_distribution() -> None:
    drawn = stats.hypergeom(M=100, n=37, N=20)
    assert pass_at(100, 37, 20) == pytest.approx(drawn.sf(0))
    assert pass_all(100, 37, 20) == pytest.approx(drawn.pmf(20))


@pytest.mark.parametrize("k", [1, 3, 5])
def test_estimates_are_unbiased(k: int) -> None:
    right = stats.binom(5, 0.3)
    assert sum(right.pmf(c) * pass_at(5, c, k) for c in range(6)) == pytest.approx(1 - 0.7**k)
    assert sum(right.pmf(c) * pass_all(5, c, k) for c in range(6)) == pytest.approx(0.3**k)


def test_the_k_that_fit() -> None:
    assert attempt_metrics(tasks("1", "0")) == ()
    assert list(metrics(tasks("11", "01"))) == ["pass@1", "pass@2", "pass^2"]
    assert list(metrics(tasks("1" * 7)))[:6] == ["pass@1", "pass@2", "pass@3", "pass@4", "pass@5", "pass@7"]


def test_values_errors_and_intervals() -> None:
    found = metrics(tasks("110", "000", "111", "100"))
    assert found["pass@1"].value == pytest.approx(0.5)
    assert found["pass@3"].value == pytest.approx(0.75)
    assert found["pass^3"].value == pytest.approx(0.25)
    assert found["pass@2"].value == pytest.approx(fmean([1, 0, 1, 2 / 3]))
    assert found["pass@2"].standard_error == pytest.approx(float(stats.sem([1, 0, 1, 2 / 3])))
    # With k all of the attempts each question passes or does not, which is Wilson's own case.
    assert (found["pass@3"].low, found["pass@3"].high) == pytest.approx(wilson_interval(0.75, 4))
    assert {metric.n for metric in found.values()} == {4}


def test_a_question_with_too_few_attempts_is_left_out_of_k() -> None:
    found = metrics(tasks("11", "0", "01"))
    assert (found["pass@1"].n, found["pass@2"].n) == (3, 2)
    assert (found["pass@2"].value, found["pass^2"].value) == (1.0, 0.5)


@pytest.mark.parametrize("name", ["pass@2", "pass^2", "pass@5"])
def test_intervals_cover_the_truth(name: str) -> None:
    rng = random.Random(30)
    chances, k = (0.1, 0.5, 0.9), int(name[-1])
    truth = fmean((chance**k if "^" in name else 1 - (1 - chance) ** k) for chance in chances)

    def trial() -> bool:
        drawn = [rng.choice(chances) for _ in range(40)]
        found = metrics(tasks(*("".join(str(int(rng.random() < chance)) for _ in range(5)) for chance in drawn)))[name]
        assert found.low is not None
        assert found.high is not None
        return found.low <= truth <= found.high

    assert 0.92 <= sum(trial() for _ in range(500)) / 500 <= 0.99
