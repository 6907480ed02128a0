"""Paired comparison against scipy and statsmodels, published values, and by simulation."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from evalrouter_server.metrics import ScoredTask
from evalrouter_server.metrics.comparison import LEAST_FLIPS, PairedComparison, compare, holm, newcombe_interval
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint


def run(*scores: float | Sequence[float]) -> list[ScoredTask]:
    """A score a question, or its repeats' scores."""
    return [
        ScoredTask(f"item_{place}", each)
        for place, question in enumerate(scores)
        for each in ([question] if isinstance(question, float | int) else question)
    ]


def compared(baseline: list[ScoredTask], other: list[ScoredTask]) -> PairedComparison:
    found = compare(baseline, other)
    assert found is not None
    return found


def table(both: int, gained: int, lost: int, neither: int) -> PairedComparison:
    before = [1.0] * both + [0.0] * gained + [1.0] * lost + [0.0] * neither
    after = [1.0] * both + [1.0] * gained + [0.0] * lost + [0.0] * neither
    return compared(run(*before), run(*after))


@pytest.mark.parametrize("cells", [(30, 12, 3, 5), (0, 6, 0, 4), (50, 1, 1, 2), (4, 0, 9, 0), (700, 80, 61, 478)])
def test_mcnemar_agrees_with_statsmodels(cells: tuple[int, int, int, int]) -> None:
    found = table(*cells)
    both, gained, lost, neither = cells
    assert found.test == "mcnemar_exact"
    assert found.p_value == pytest.approx(mcnemar([[both, lost], [gained, neither]], exact=True).pvalue)
    assert (found.both_right, found.both_wrong) == (both, neither)
    assert [flip.kind for flip in found.flips].count("gained") == gained
    assert found.difference.value == pytest.approx((gained - lost) / sum(cells))
    differences = [1] * gained + [-1] * lost + [0] * (both + neither)
    assert found.difference.standard_error == pytest.approx(float(stats.sem(differences)))


def test_newcombe_gives_the_published_interval() -> None:
    # Newcombe 1998, Statistics in Medicine 17, 2635-2650: 36, 12, 2 and 0 of 50 pairs.
    assert newcombe_interval(36, 12, 2, 0) == pytest.approx((0.0569, 0.3404), abs=5e-5)


@pytest.mark.parametrize(("both", "gained", "lost", "neither"), [(10, 10, 20, 20), (3, 6, 4, 8)])
def test_newcombe_agrees_with_statsmodels_where_runs_are_unrelated(
    both: int, gained: int, lost: int, neither: int
) -> None:
    n = both + gained + lost + neither
    assert both * neither == gained * lost
    unpaired = confint_proportions_2indep(both + gained, n, both + lost, n, method="newcomb", compare="diff")
    assert newcombe_interval(both, gained, lost, neither) == pytest.approx(unpaired)


@given(st.tuples(*[st.integers(0, 40)] * 4).filter(any))
def test_the_interval_holds_the_difference_and_turns_round_with_the_runs(cells: tuple[int, int, int, int]) -> None:
    both, gained, lost, neither = cells
    low, high = newcombe_interval(both, gained, lost, neither)
    assert -1 <= low <= (gained - lost) / sum(cells) <= high <= 1
    assert newcombe_interval(both, lost, gained, neither) == pytest.approx((-high, -low))


def test_other_scores_are_compared_by_bootstrap_near_the_paired_t_test() -> None:
    rng = np.random.default_rng(5)
    before = rng.beta(2, 2, 300)
    after = np.clip(before + rng.normal(0.015, 0.12, 300), 0, 1)
    found = compared(run(*map(float, before)), run(*map(float, after)))
    reference = stats.ttest_rel(after, before)
    interval = reference.confidence_interval()
    assert (found.test, found.difference.method) == ("paired_bootstrap", "bootstrap")
    assert found.p_value == pytest.approx(reference.pvalue, abs=0.015)
    assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high), abs=0.002)
    assert found.smallest_detectable_difference == pytest.approx(
        TTestPower().solve_power(nobs=300, alpha=0.05, power=0.8) * float(np.std(after - before, ddof=1)), rel=0.01
    )
    assert compare(run(*map(float, before)), run(*map(float, after))) == found, "the bootstrap is seeded"


def test_repeats_are_averaged_so_that_copies_add_nothing() -> None:
    rng = random.Random(3)
    before = [float(rng.random() < 0.5) for _ in range(60)]
    after = [float(rng.random() < 0.6) for _ in range(60)]
    once = compared(run(*before), run(*after))
    copied = compared(run(*([score] * 5 for score in before)), run(*([score] * 5 for score in after)))
    assert copied.test == "paired_bootstrap"
    assert copied.difference.value == pytest.approx(once.difference.value)
    assert copied.difference.standard_error == pytest.approx(once.difference.standard_error)
    assert copied.p_value == pytest.approx(once.p_value, abs=0.1)
    assert copied.shared == 60
    assert copied.baseline.n == 300
    assert copied.flips == once.flips


def test_only_shared_questions_count() -> None:
    baseline = [ScoredTask("a", 1.0), ScoredTask("b", 0.0), ScoredTask("only here", 1.0)]
    other = [ScoredTask("b", 1.0), ScoredTask("only there", 0.0), ScoredTask("a", 1.0)]
    found = compared(baseline, other)
    assert (found.shared, found.baseline.value, found.other.value, found.difference.value) == (2, 0.5, 1.0, 0.5)
    assert [(flip.item_id, flip.kind) for flip in found.flips] == [("b", "gained")]
    assert compare(baseline, [ScoredTask("c", 1.0)]) is None


def test_what_cannot_differ_is_not_significant() -> None:
    same = table(20, 0, 0, 5)
    assert (same.p_value, same.difference.value, same.differing) == (1.0, 0.0, 0)
    assert same.difference.low == -same.difference.high < 0
    one = compared(run(0.5), run(0.75))
    assert (one.p_value, one.difference.standard_error, one.smallest_detectable_difference) == (1.0, None, None)
    assert one.difference.low < 0 < 0.25 < one.difference.high, "one question proves nothing"


@pytest.mark.parametrize("scores", [(1.0, 1.0, 0.0), (0.25,), (1.0, 1.0)])
def test_equal_runs_may_yet_differ_by_as_much_as_none_of_n_allows(scores: tuple[float, ...]) -> None:
    same = compared(run(*([scores] * 40)), run(*([scores] * 40)))
    assert (same.p_value, same.differing, same.test, same.difference.method) == (1.0, 0, "sign_exact", "wilson")
    most = proportion_confint(0, 40, method="wilson")[1]
    assert (same.difference.low, same.difference.high) == pytest.approx((-most, most))
    assert same.smallest_detectable_difference is None


def test_a_difference_that_is_the_same_everywhere_is_significant() -> None:
    apart = compared(run(*([(0.0, 0.0)] * 20)), run(*([(1.0, 1.0)] * 20)))
    assert apart.p_value == pytest.approx(2 * 0.5**20)
    assert (apart.difference.value, apart.differing) == (1.0, 20)
    most = proportion_confint(0, 20, method="wilson")[1]
    assert (apart.difference.low, apart.difference.high) == pytest.approx((1 - 2 * most, 1.0))
    thirds = compared(run(*([(1.0, 0.0, 0.0), (0.0, 1.0, 1.0)] * 10)), run(*([(1.0, 1.0, 0.0), (1.0, 1.0, 1.0)] * 10)))
    assert thirds.test == "sign_exact", "but for rounding"
    assert thirds.difference.value == pytest.approx(1 / 3)


@pytest.mark.parametrize("n", [6, 25, 1319])
def test_the_smallest_detectable_difference_is_found_in_80_percent_where_nothing_flipped(n: int) -> None:
    least = table(n - 5, 0, 0, 5).smallest_detectable_difference
    assert least is not None
    assert stats.binom.sf(LEAST_FLIPS - 1, n, least) == pytest.approx(0.8)


def test_the_least_flips_are_those_that_the_exact_test_needs() -> None:
    assert stats.binomtest(LEAST_FLIPS, LEAST_FLIPS).pvalue < 0.05 < stats.binomtest(5, 5).pvalue


@pytest.mark.parametrize("p_values", [[0.03], [0.04, 0.01], [0.01, 0.011, 0.9, 0.02, 0.011], [0.5, 0.6, 0.7]])
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def trial(rng: random.Random, questions: int, repeats: int, gain: float) -> PairedComparison:
    """Two models, of which the second is right more often by `gain`, on questions of all kinds."""
    chances = [rng.uniform(0, 1 - gain) for _ in range(questions)]
    before = [[float(rng.random() < chance) for _ in range(repeats)] for chance in chances]
    after = [[float(rng.random() < chance + gain) for _ in range(repeats)] for chance in chances]
    return compared(run(*before), run(*after))


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("questions", "repeats", "trials"),
    [
        (40, 1, 400),
        (40, 3, 60),
        pytest.param(20, 1, 4000, marks=pytest.mark.soak),
        pytest.param(100, 1, 4000, marks=pytest.mark.soak),
        pytest.param(60, 4, 800, marks=pytest.mark.soak),
    ],
)
def test_intervals_cover_and_equal_models_seldom_differ(questions: int, repeats: int, trials: int) -> None:
    rng = random.Random(11)
    covered = false_alarms = 0
    for _ in range(trials):
        found = trial(rng, questions, repeats, 0.1)
        assert found.difference.low is not None
        assert found.difference.high is not None
        covered += found.difference.low <= 0.1 <= found.difference.high
        false_alarms += trial(rng, questions, repeats, 0.0).p_value < 0.05
    slack = 2.6 * (0.05 * 0.95 / trials) ** 0.5 + 0.015
    assert covered / trials >= 0.95 - slack
    assert false_alarms / trials <= 0.05 + slack
