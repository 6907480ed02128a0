"""What a run shows of itself, the same for both clients."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from html import escape
from typing import Any

from evalrouter.money import format_usd
from evalrouter.types import AgentRef, BenchmarkRef, Coverage, GroupScore, Metric, ModelRef, RunData

EXTERNAL = "; external cost, the agent's own, is outside the meter"


class RunView:
    """The last known state of a run, read through properties.

    Args:
        data: What the server said.
        reused: Whether an earlier create had started it.
    """

    def __init__(self, data: RunData, reused: bool = False) -> None:
        self._data = data
        self._reused = reused

    @property
    def data(self) -> RunData:
        """The frozen snapshot that the properties read; `refresh()`, `wait()`, `cancel()` and `resume()` replace it."""
        return self._data

    @property
    def reused(self) -> bool:
        """Whether `runs.create` returned a run that an earlier, equal create had started."""
        return self._reused

    @property
    def id(self) -> str:
        """Exact ID."""
        return self._data.id

    @property
    def status(self) -> str:
        """`queued`, `running`, `paused`, `cancelling`, then one of `completed`, `partial`, `cancelled`, `failed`."""
        return self._data.status

    @property
    def status_reason(self) -> str | None:
        """Why it is paused, partial, cancelled or failed."""
        return self._data.status_reason

    @property
    def has_ended(self) -> bool:
        """Whether it will never change again."""
        return self._data.has_ended

    @property
    def benchmark(self) -> BenchmarkRef:
        """The benchmark's version; as text `slug@version`."""
        return self._data.benchmark

    @property
    def model(self) -> ModelRef | None:
        """The model; as text its slug. None where a remote agent brought its own."""
        return self._data.model

    @property
    def agent(self) -> AgentRef | None:
        """The agent that works on its tasks; as text its name. None where the model itself is asked."""
        return self._data.agent

    @property
    def models_served(self) -> tuple[str, ...]:
        """The models that the provider says answered."""
        return self._data.models_served

    @property
    def name(self) -> str | None:
        """Name of your own."""
        return self._data.name

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Labels of your own."""
        return self._data.metadata

    @property
    def quote_id(self) -> str:
        """The quote that it runs."""
        return self._data.quote_id

    @property
    def score(self) -> float | None:
        """The headline metric over graded tasks; None where nothing was graded."""
        return self._data.score

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Every metric by its name, with n, standard error and 95% interval."""
        return self._data.metrics

    @property
    def groups(self) -> Mapping[str, GroupScore]:
        """The score of each group by its name."""
        return self._data.groups

    @property
    def coverage(self) -> Coverage:
        """How many tasks were selected, graded, failed and are missing."""
        return self._data.coverage

    @property
    def is_sample(self) -> bool:
        """Whether it covers a sample only."""
        return self._data.is_sample

    @property
    def is_partial(self) -> bool:
        """Whether some selected tasks have no grade."""
        return self._data.is_partial

    @property
    def cost(self) -> Decimal:
        """What it has charged so far, in USD."""
        return self._data.cost

    @property
    def max_cost(self) -> Decimal | None:
        """The limit that was asked for, in USD."""
        return self._data.max_cost

    @property
    def cap(self) -> Decimal:
        """The most that it may charge, in USD."""
        return self._data.cap

    @property
    def maximum_charge(self) -> Decimal:
        """The quote's maximum charge, in USD."""
        return self._data.maximum_charge

    @property
    def reserved(self) -> Decimal:
        """What calls in flight have reserved, in USD."""
        return self._data.reserved

    @property
    def overage(self) -> Decimal:
        """What providers reported beyond a call's bound, in USD; not charged."""
        return self._data.overage

    @property
    def concurrency(self) -> int:
        """Calls at once."""
        return self._data.concurrency

    @property
    def repeats(self) -> int:
        """How often each item is tried."""
        return self._data.repeats

    @property
    def flags(self) -> tuple[str, ...]:
        """What a reader of the score must know."""
        return self._data.flags

    @property
    def created_at(self) -> datetime:
        """When it was created."""
        return self._data.created_at

    @property
    def started_at(self) -> datetime | None:
        """When its work started."""
        return self._data.started_at

    @property
    def ended_at(self) -> datetime | None:
        """When it ended."""
        return self._data.ended_at

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunView) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        facts = [self.id, self.status, f"{self.benchmark}", subject(self._data), f"score={score_text(self._data)}"]
        facts += [f"cost={format_usd(self.cost)} of {format_usd(self.cap)}", *labels(self._data)]
        return f"<{type(self).__name__} {' '.join(facts[:4])} {', '.join(facts[4:])}>"

    def _repr_html_(self) -> str:
        return html_table(self._data)


def labels(run: RunData) -> list[str]:
    """What must stand beside a score: sample or partial, with counts, and the flags."""
    coverage = run.coverage
    found = []
    if run.is_sample:
        found.append(f"sample of {coverage.selected // max(run.repeats, 1)} of {coverage.benchmark_task_count}")
    if run.is_partial:
        found.append(f"partial: {coverage.graded} of {coverage.selected} graded")
    return found + list(run.flags)


def subject(run: RunData) -> str:
    """What is evaluated: the model, or the agent that brings its own."""
    return str(run.model or run.agent)


def has_external_cost(run: RunData) -> bool:
    """Whether a remote agent's own cost is outside the meter."""
    return "external_cost" in run.flags


def score_text(run: RunData) -> str:
    """The score with its interval, or that there is none (`0.850 [0.640, 0.948]`)."""
    if run.score is None:
        return "none"
    headline = next((metric for metric in run.metrics.values() if metric.value == run.score), None)
    if headline is None or headline.low is None or headline.high is None:
        return f"{run.score:.3f}"
    return f"{run.score:.3f} [{headline.low:.3f}, {headline.high:.3f}]"


def html_table(run: RunData) -> str:
    """The run as a small HTML table; all text is escaped."""
    coverage = run.coverage
    rows = [
        ("run", run.id if run.name is None else f"{run.name} ({run.id})"),
        ("benchmark", str(run.benchmark)),
        ("agent" if run.model is None else "model", subject(run)),
        ("status", run.status if run.status_reason is None else f"{run.status} ({run.status_reason})"),
        ("score", " · ".join([score_text(run), *labels(run)])),
        (
            "tasks",
            f"{coverage.selected} selected, {coverage.graded} graded, {coverage.failed} failed, "
            f"{coverage.missing} missing",
        ),
        (
            "cost",
            f"{format_usd(run.cost)} of at most {format_usd(run.cap)}{EXTERNAL if has_external_cost(run) else ''}",
        ),
    ]
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(head)}</th><td style="text-align:left">{escape(text)}</td></tr>'
        for head, text in rows
    )
    return f"<table>{cells}</table>"
