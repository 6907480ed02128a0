"""The coverage of every interval over sizes, chances and repeats, at length."""

import random
from collections.abc import Callable

import pytest
from evalrouter_server.metrics import Metric, MetricName, ScoredTask, across_groups, attempt_metrics, summarise

TRIALS = 4000

type Draw = Callable[[random.Random], Metric | None]


def binary(questions: int, chance: float, repeats: int = 1) -> Draw:
    """Questions that a model answers rightly either nearly always or nearly never, `chance` of them the former."""

    def draw(rng: random.Random) -> Metric | None:
        easy = [rng.random() < chance for _ in range(questions)]
        scored = [
            ScoredTask(f"{place}", float(rng.random() < (0.95 if is_easy else 0.05)))
            for place, is_easy in enumerate(easy)
            for _ in range(repeats)
        ]
        return summarise(scored)

    return draw


def fractional(questions: int, name: MetricName = "mean_score") -> Draw:
    return lambda rng: summarise([ScoredTask(f"{i}", rng.betavariate(2, 3)) for i in range(questions)], name=name)


def grouped(groups: int) -> Draw:
    def draw(rng: random.Random) -> Metric | None:
        chances = [rng.betavariate(2, 2) for _ in range(groups)]
        return across_groups(
            [ScoredTask(f"{g}.{i}", float(rng.random() < c), f"{g}") for g, c in enumerate(chances) for i in range(25)]
        )

    return draw


def passing(name: str) -> Draw:
    def draw(rng: random.Random) -> Metric | None:
        scored = [
            ScoredTask(f"{i}", float(rng.random() < c)) for i in range(50) for c in [rng.random()] for _ in range(6)
        ]
        return next(metric for metric in attempt_metrics(scored) if metric.name == name)

    return draw


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        pytest.param(binary(10, 0.5), 0.5, id="10 questions"),
        pytest.param(binary(30, 0.2), 0.2 * 0.95 + 0.8 * 0.05, id="30 questions"),
        pytest.param(binary(100, 0.95), 0.95 * 0.95 + 0.05 * 0.05, id="100 questions, easy"),
        pytest.param(binary(20, 0.5, 5), 0.5, id="20 questions, 5 repeats"),
        pytest.param(binary(60, 0.8, 4), 0.8 * 0.95 + 0.2 * 0.05, id="60 questions, 4 repeats"),
        pytest.param(fractional(10), 0.4, id="10 fractional scores"),
        pytest.param(fractional(100), 0.4, id="100 fractional scores"),
        pytest.param(grouped(8), 0.5, id="8 groups"),
        pytest.param(grouped(27), 0.5, id="27 groups"),
        pytest.param(passing("pass@3"), 1 - 1 / 4, id="pass@3"),
        pytest.param(passing("pass^3"), 1 / 4, id="pass^3"),
        pytest.param(passing("pass@6"), 1 - 1 / 7, id="pass@6"),
    ],
)
def test_a_95_percent_interval_covers_about_95_percent(draw: Draw, truth: float) -> None:
    rng = random.Random(95)
    hits = 0
    for _ in range(TRIALS):
        found = draw(rng)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= truth <= found.high
    assert 0.935 <= hits / TRIALS <= 0.985
