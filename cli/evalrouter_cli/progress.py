"""How far a run is, on stderr: a bar at a terminal, a line now and then elsewhere."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evalrouter_cli import formats, output

if TYPE_CHECKING:
    from evalrouter import Progress, Run, RunData

LINE_EVERY_SECONDS = 10.0
QUIET_SECONDS = 3.0

type Update = "Callable[[Progress], None]"


@contextmanager
def shown(run: "Run") -> Iterator[Update]:
    """Show a run's progress for the time of the context.

    Args:
        run: The run as it is known now.

    Yields:
        What to call with how far the run has come.
    """
    if sys.stderr.isatty():
        with _bar(run) as update:
            yield update
    else:
        yield _lines()


@contextmanager
def explained(reason: str) -> Iterator[None]:
    """Say why something takes long, where it does.

    Args:
        reason: What may be going on, for a line on stderr after a few seconds.
    """
    timer = threading.Timer(QUIET_SECONDS, output.note, [reason])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def cost(run: "Run | RunData") -> str:
    """What the run has charged, against its cap."""
    external = "; external cost is outside the meter" if "external_cost" in run.flags else ""
    return f"{formats.usd(run.cost)} of at most {formats.usd(run.cap)} USD{external}"


def pace(progress: "Progress") -> str:
    """Tasks a second and the time that is left at that rate; nothing where there is no rate yet."""
    if progress.tasks_per_second is None or progress.seconds_left is None:
        return ""
    return f"{progress.tasks_per_second:.1f}/s, {formats.duration(progress.seconds_left)} left"


def _lines() -> Update:
    last = time.monotonic()

    def update(progress: "Progress") -> None:
        nonlocal last
        if time.monotonic() - last < LINE_EVERY_SECONDS:
            return
        last = time.monotonic()
        tasks = f"{formats.count(progress.done)} of {formats.count(progress.total)} tasks"
        facts = [f"{progress.run.status}: {tasks}", cost(progress.run), pace(progress)]
        output.note(", ".join(fact for fact in facts if fact))

    return update


@contextmanager
def _bar(run: "Run") -> Iterator[Update]:
    from rich import progress as rich_progress
    from rich.console import Console

    done = run.coverage.graded + run.coverage.failed
    bar = rich_progress.Progress(
        rich_progress.TextColumn("{task.fields[status]}"),
        rich_progress.BarColumn(bar_width=None),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TextColumn("{task.fields[cost]}"),
        rich_progress.TextColumn("{task.fields[pace]}"),
        console=Console(stderr=True, highlight=False, no_color=not output.is_styled(sys.stderr)),
        expand=True,
    )
    with bar:
        task = bar.add_task("", total=run.coverage.selected, completed=done, status=run.status, cost=cost(run), pace="")

        def update(progress: "Progress") -> None:
            newer = progress.run
            bar.update(task, completed=progress.done, status=newer.status, cost=cost(newer), pace=pace(progress))

        yield update
