"""Metrics against reference values, and the coverage of their intervals in a small simulation."""

import math
import random

import pytest
from evalrouter_server.metrics import Metric, ScoredTask, by_group, headline, summarise
from evalrouter_server.metrics.summary import MetricName, wilson_interval
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats


def tasks(scores: list[float], repeats: int = 1) -> list[ScoredTask]:
    return [ScoredTask(f"item_{place // repeats}", score) for place, score in enumerate(scores)]


def metric(scored: list[ScoredTask], name: MetricName = "accuracy") -> Metric:
    found = summarise(scored, name=name)
    assert found is not None
    return found


@pytest.mark.parametrize(("correct", "n"), [(0, 1), (1, 1), (0, 10), (7, 10), (286, 1319), (458, 1319), (20, 20)])
def test_wilson_agrees_with_scipy(correct: int, n: int) -> None:
    reference = stats.binomtest(correct, n).proportion_ci(method="wilson")
    low, high = wilson_interval(correct / n, n)
    assert low == pytest.approx(reference.low, abs=1e-12)
    assert high == pytest.approx(reference.high, abs=1e-12)


def test_accuracy() -> None:
    found = metric(tasks([1.0] * 7 + [0.0] * 3))
    assert (found.name, found.n, found.method) == ("accuracy", 10, "wilson")
    assert found.value == pytest.approx(0.7)
    assert found.standard_error == pytest.approx(math.sqrt(0.7 * 0.3 / 9))
    # The textbook interval of 7 in 10 (Newcombe 1998 form).
    assert [found.low, found.high] == pytest.approx([0.39677, 0.89221], abs=1e-5)


def test_mean_score_agrees_with_scipy() -> None:
    scores = [0.1, 0.5, 0.25, 0.9, 1.0, 0.0, 0.4]
    found = metric(tasks(scores), "mean_score")
    error = float(stats.sem(scores))
    reference = stats.t.interval(0.95, len(scores) - 1, loc=found.value, scale=error)
    assert found.standard_error == pytest.approx(error)
    assert [found.low, found.high] == pytest.approx(list(reference))
    assert found.method == "t"


def test_identical_repeats_carry_no_new_information() -> None:
    once = metric(tasks([1.0, 0.0, 1.0, 1.0, 0.0, 1.0]))
    thrice = metric(tasks([score for score in (1.0, 0.0, 1.0, 1.0, 0.0, 1.0) for _ in range(3)], repeats=3))
    assert thrice.n == 18
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert [thrice.low, thrice.high] == pytest.approx([once.low, once.high])


def test_clustered_error_agrees_with_the_error_of_cluster_means() -> None:
    rng = random.Random(7)
    clusters = [[float(rng.random() < 0.6) for _ in range(4)] for _ in range(25)]
    found = metric(tasks([score for cluster in clusters for score in cluster], repeats=4))
    # With clusters of one size, the clustered error is that of the clusters' means.
    assert found.standard_error == pytest.approx(float(stats.sem([sum(cluster) / 4 for cluster in clusters])))


@pytest.mark.parametrize("truth", [0.05, 0.5, 0.9])
def test_wilson_covers_the_truth(truth: float) -> None:
    rng = random.Random(20)
    hits = sum(covers(metric(tasks([float(rng.random() < truth) for _ in range(40)])), truth) for _ in range(1000))
    assert 0.92 <= hits / 1000 <= 0.99


def test_repeats_keep_the_coverage() -> None:
    rng = random.Random(21)

    def trial() -> bool:
        chances = [rng.choice([0.1, 0.9]) for _ in range(40)]
        scores = [float(rng.random() < chance) for chance in chances for _ in range(4)]
        return covers(metric(tasks(scores, repeats=4)), 0.5)

    hits = sum(trial() for _ in range(1000))
    assert 0.92 <= hits / 1000 <= 0.99


def covers(found: Metric, truth: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=60), st.integers(1, 4))
def test_interval_holds_the_value(scores: list[float], repeats: int) -> None:
    found = metric(tasks(scores, repeats))
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0


def test_nothing_graded_has_no_value() -> None:
    assert summarise([]) is None
    assert headline([]) is None
    assert by_group([]) == {}


def test_one_task_has_no_standard_error() -> None:
    assert metric(tasks([1.0])).standard_error is None
    single = metric(tasks([0.5]), "mean_score")
    assert (single.value, single.standard_error, single.low, single.high) == (0.5, None, None, None)


def test_groups() -> None:
    scored = [ScoredTask("a", 1.0, "words"), ScoredTask("b", 0.0, "words"), ScoredTask("c", 1.0, "facts")]
    groups = by_group([*scored, ScoredTask("d", 1.0)])
    assert [(name, group.value, group.n) for name, group in groups.items()] == [("facts", 1.0, 1), ("words", 0.5, 2)]


def test_headline_is_the_named_metric() -> None:
    metrics = [metric(tasks([0.5, 0.6]), "mean_score"), metric(tasks([1.0, 0.0]))]
    assert headline(metrics) == 0.5
    assert headline(metrics, "mean_score") == pytest.approx(0.55)


@pytest.mark.parametrize(("score", "name"), [(0.5, "accuracy"), (math.nan, "mean_score"), (math.inf, "mean_score")])
def test_scores_that_do_not_fit_are_refused(score: float, name: MetricName) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        summarise(tasks([score]), name=name)
