"""A run as a page, written piece by piece, so that neither the server nor the client holds all of its tasks."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from dataclasses import dataclass

from evalrouter_server.contract import models as contract
from evalrouter_server.questions import questions_of
from evalrouter_server.reports.page import environment
from evalrouter_server.store.results import Measure

BINS = 24
"""Columns of a histogram."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often values fall into bins of one width.

    Attributes:
        title: What the values are.
        low: The lowest value, as text.
        high: The highest, as text.
        counts: Of each bin, from the lowest.
    """

    title: str
    low: str
    high: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many tasks came to the same.

    Attributes:
        name: `right`, `wrong`, `between`, `failed` or `missing`.
        count: How many.
    """

    name: str
    count: int


async def run_report(
    run: contract.Run,
    measures: Sequence[Measure],
    results: AsyncIterable[list[contract.TaskResult]],
    template: str | None = None,
) -> AsyncIterator[bytes]:
    """Write the page of a run.

    Args:
        run: The run.
        measures: The figures of its tasks, for the charts.
        results: Its results, by the page.
        template: The template of its prompts; None: it is not known.

    Returns:
        The page in pieces.
    """
    charts = await asyncio.to_thread(_charts, measures)
    head = {"run": run, "outcomes": outcomes(run, measures), "histograms": charts}
    yield await asyncio.to_thread(_render, "run_head.html", **head)
    async for page in results:
        questions = questions_of(template, [result.inputs for result in page])
        rows = list(zip(questions, page, strict=True))
        yield await asyncio.to_thread(_render, "run_tasks.html", rows=rows)
    yield await asyncio.to_thread(_render, "run_tail.html")


def outcomes(run: contract.Run, measures: Sequence[Measure]) -> tuple[Outcome, ...]:
    """The tasks by what they came to; those that were not run or failed are neither right nor wrong."""
    scores = [measure.score for measure in measures if measure.score is not None]
    right, wrong = sum(score == 1 for score in scores), sum(score == 0 for score in scores)
    failed = len(measures) - len(scores)
    counts = {
        "right": right,
        "between": len(scores) - right - wrong,
        "wrong": wrong,
        "failed": failed,
        "missing": run.coverage.selected - len(measures),
    }
    return tuple(Outcome(name, count) for name, count in counts.items() if count)


def _charts(measures: Sequence[Measure]) -> list[Histogram]:
    dollars = [measure.charge_microusd / 1e6 for measure in measures]
    seconds = [measure.latency_seconds for measure in measures if measure.latency_seconds is not None]
    found = (_histogram("cost of a task", dollars, "{:.6f} USD"), _histogram("seconds of a task", seconds, "{:.2f} s"))
    return [each for each in found if each is not None]


def _histogram(title: str, values: Sequence[float], form: str) -> Histogram | None:
    """None where the values do not differ."""
    import numpy as np

    if not values or min(values) == max(values):
        return None
    counts, _ = np.histogram(values, bins=BINS)
    return Histogram(title, form.format(min(values)), form.format(max(values)), tuple(map(int, counts)))


def _render(template: str, **context: object) -> bytes:
    return environment().get_template(template).render(**context).encode()
