"""Metrics against reference values, and the coverage of their intervals in a small simulation."""

import math
import random
from typing import Literal

import pandas as pd
import pytest
import statsmodels.formula.api as smf
from evalrouter_server.metrics import Metric, MetricName, ScoredTask, across_groups, by_group, headline, summarise
from evalrouter_server.metrics.intervals import wilson_interval
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint


def tasks(scores: list[float], repeats: int = 1) -> list[ScoredTask]:
    return [ScoredTask(f"item_{place // repeats}", score) for place, score in enumerate(scores)]


def metric(scored: list[ScoredTask], name: MetricName = "accuracy") -> Metric:
    found = summarise(scored, name=name)
    assert found is not None
    return found


@pytest.mark.parametrize(("correct", "n"), [(0, 1), (1, 1), (0, 10), (7, 10), (286, 1319), (458, 1319), (20, 20)])
def test_wilson_agrees_with_scipy_and_statsmodels(correct: int, n: int) -> None:
    reference = stats.binomtest(correct, n).proportion_ci(method="wilson")
    interval = wilson_interval(correct / n, n)
    assert interval == pytest.approx((reference.low, reference.high), abs=1e-12)
    assert interval == pytest.approx(proportion_confint(correct, n, method="wilson"), abs=1e-12)


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


@pytest.mark.parametrize("of", ["item_id", "group"])
def test_clustered_errors_agree_with_statsmodels(of: Literal["item_id", "group"]) -> None:
    rng = random.Random(8)
    scored = [
        ScoredTask(f"item_{item}", float(rng.random() < 0.2 + group / 15), f"group_{group}")
        for group in range(9)
        for item in range(group * 100, group * 100 + rng.randint(3, 20))
        for _ in range(rng.randint(1, 5))
    ]
    found = metric(scored) if of == "item_id" else across_groups(scored)
    frame = pd.DataFrame({"score": [task.score for task in scored], "cluster": [getattr(task, of) for task in scored]})
    fitted = smf.ols("score ~ 1", frame).fit(
        cov_type="cluster",
        cov_kwds={"groups": frame["cluster"].astype("category").cat.codes, "df_correction": True},
        use_t=True,
    )
    # statsmodels corrects by (n - 1) / (n - p) as well, which is 1 for a mean.
    assert found is not None
    assert found.value == pytest.approx(fitted.params["Intercept"])
    assert found.standard_error == pytest.approx(fitted.bse["Intercept"])
    if of == "group":
        assert (found.low, found.high) == pytest.approx(tuple(fitted.conf_int().loc["Intercept"]))


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


def test_t_covers_the_truth() -> None:
    rng = random.Random(22)
    hits = sum(
        covers(metric(tasks([rng.betavariate(2, 1) for _ in range(15)]), "mean_score"), 2 / 3) for _ in range(800)
    )
    assert 0.92 <= hits / 800 <= 0.98


def test_clustering_by_group_covers_where_clustering_by_question_does_not() -> None:
    rng = random.Random(23)

    def trial() -> tuple[bool, bool]:
        scored = [
            ScoredTask(f"{group}.{item}", float(rng.random() < chance), f"{group}")
            for group, chance in enumerate(rng.betavariate(2, 2) for _ in range(12))
            for item in range(20)
        ]
        grouped = across_groups(scored)
        assert grouped is not None
        return covers(grouped, 0.5), covers(metric(scored), 0.5)

    trials = [trial() for _ in range(500)]
    assert 0.92 <= sum(grouped for grouped, _ in trials) / 500 <= 0.98
    assert sum(by_question for _, by_question in trials) / 500 < 0.7


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
    assert across_groups([ScoredTask("a", 1.0, "words"), ScoredTask("b", 0.0, "words"), ScoredTask("c", 0.0)]) is None
    single = metric(tasks([0.5]), "mean_score")
    assert (single.value, single.standard_error, single.low, single.high) == (0.5, None, None, None)


def test_scores_that_do_not_differ_have_an_interval_of_some_width() -> None:
    perfect = metric(tasks([1.0] * 5), "mean_score")
    assert (perfect.standard_error, perfect.method, perfect.high) == (0.0, "wilson", 1.0)
    assert perfect.low == pytest.approx(wilson_interval(1.0, 5)[0])
    grouped = across_groups([ScoredTask(f"{place}", 1.0, f"{place % 2}") for place in range(10)])
    assert grouped is not None
    assert grouped.low == pytest.approx(wilson_interval(1.0, 2)[0])


def test_groups() -> None:
    scored = [ScoredTask("a", 1.0, "words"), ScoredTask("b", 0.0, "words"), ScoredTask("c", 1.0, "facts")]
    groups = by_group([*scored, ScoredTask("d", 1.0)])
    assert [(name, group.value, group.n) for name, group in groups.items()] == [("facts", 1.0, 1), ("words", 0.5, 2)]


def test_headline_is_the_named_metric() -> None:
    metrics = [metric(tasks([0.5, 0.6]), "mean_score"), metric(tasks([1.0, 0.0]))]
    assert headline(metrics) == 0.5
    assert headline(metrics, "mean_score") == pytest.approx(0.55)


@pytest.mark.parametrize(
    ("score", "name"), [(0.5, "accuracy"), (math.nan, "mean_score"), (math.inf, "mean_score"), (1.5, "mean_score")]
)
def test_scores_that_do_not_fit_are_refused(score: float, name: MetricName) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        summarise(tasks([score]), name=name)
