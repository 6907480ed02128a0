"""How far a run is, on stderr: a bar at a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evalrouter_cli import formats, output

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from evalrouter import Run

LINE_EVERY_SECONDS = 10.0

type Update = Callable[["Run"], None]


@contextmanager
def shown(run: "Run") -> Iterator[Update]:
    """Show a run's progress for the time of the context.

    Args:
        run: The run as it is known now.

    Yields:
        What to call with each newer state of the run.
    """
    if sys.stderr.isatty():
        with _bar(run) as update:
            yield update
    else:
        yield _lines()


def state(run: "Run") -> str:
    """Tasks done and cost so far against the cap, in one line."""
    return f"{run.status}: {formats.count(_done(run))} of {formats.count(run.coverage.selected)} tasks, {cost(run)}"


def cost(run: "Run") -> str:
    """What the run has charged, against its cap."""
    return f"{formats.usd(run.cost)} of at most {formats.usd(run.cap)} USD"


def _done(run: "Run") -> int:
    return run.coverage.graded + run.coverage.failed


def _lines() -> Update:
    last = time.monotonic()

    def update(run: "Run") -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_EVERY_SECONDS:
            last = time.monotonic()
            output.note(state(run))

    return update


@contextmanager
def _bar(run: "Run") -> Iterator[Update]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False, no_color=not output.is_styled(sys.stderr))
    bar = Progress(
        TextColumn("{task.fields[status]}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[cost]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        expand=False,
    )
    with bar:
        task = bar.add_task("", total=run.coverage.selected, completed=_done(run), rate="", **_fields(run))
        yield lambda newer: _advance(bar, task, newer)


def _advance(bar: "Progress", task: "TaskID", run: "Run") -> None:
    bar.update(task, completed=_done(run), total=run.coverage.selected, **_fields(run))
    speed = bar.tasks[0].speed
    bar.update(task, rate="" if speed is None else f"{speed:.1f}/s")


def _fields(run: "Run") -> dict[str, str]:
    return {"status": run.status, "cost": cost(run)}
