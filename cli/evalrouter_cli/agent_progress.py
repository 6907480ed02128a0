"""How far an agent's run is, on stderr: at a terminal a line for each running task, elsewhere lines now and then."""

import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from evalrouter_cli import formats, output, progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evalrouter import EvalRouter, Progress, Run, RunEvent

LOOK_EVERY_SECONDS = 1.0
DRAW_TIMES_PER_SECOND = 2
MOST_TASKS_SHOWN = 16
MOST_CALLS_COUNTED = 200
"""Of a task that has made more, the number says so, and its cost is that of these."""

ENDING = frozenset({"task.graded", "task.failed", "task.returned", "task.dropped"})


@dataclass
class RunningTask:
    """A task that an agent works on.

    Attributes:
        label: Its place in the run, and which repeat it is.
        began: When the agent got it.
        note: The last thing that was noted of it.
        calls: How many model calls it has made.
        cost: What they cost so far, in USD.
    """

    label: str
    began: datetime
    note: str = ""
    calls: int = 0
    cost: Decimal = Decimal(0)

    def cells(self, now: datetime) -> list[str]:
        """What is shown of it: label, time, calls, USD, note."""
        more = "+" if self.calls >= MOST_CALLS_COUNTED else ""
        elapsed = formats.duration((now - self.began).total_seconds())
        return [self.label, elapsed, f"{formats.count(self.calls)}{more}", formats.usd(self.cost), self.note]


class RunningTasks:
    """The tasks that agents work on, by what a run's events say."""

    def __init__(self) -> None:
        self.seq = 0
        self._tasks: dict[str, RunningTask] = {}

    def apply(self, event: "RunEvent") -> None:
        """Takes an event into account.

        Args:
            event: The next event of the run.
        """
        self.seq = event.seq
        task_id = event.task_id or ""
        if event.type in ("task.leased", "task.sent"):
            self._tasks[task_id] = RunningTask(_label(event.data), event.at)
        elif event.type == "task.note" and task_id in self._tasks:
            self._tasks[task_id].note = output.printable(event.note or "")
        elif event.type in ENDING:
            self._tasks.pop(task_id, None)

    def shown(self) -> dict[str, RunningTask]:
        """Those that are shown, by ID, the longest at work first."""
        return dict(list(self._tasks.items())[:MOST_TASKS_SHOWN])

    def hidden(self) -> int:
        """How many are not shown."""
        return max(0, len(self._tasks) - MOST_TASKS_SHOWN)


class Follower:
    """Keeps up with a run in a thread of its own; what it cannot read now it reads later.

    Args:
        client: The client.
        run: The run.
        every: Seconds between lines on stderr; None where what is known is drawn by somebody else.

    Attributes:
        tasks: The running tasks.
    """

    def __init__(self, client: "EvalRouter", run: "Run", every: float | None) -> None:
        self.tasks = RunningTasks()
        self._client = client
        self._run = client.runs.get(run.id)
        self._progress: Progress | None = None
        self._every = every
        self._told = time.monotonic()
        self._guard = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, name=f"{run.id} progress", daemon=True)

    def start(self) -> None:
        """Begins to follow."""
        self._thread.start()

    def stop(self) -> None:
        """Follows no longer."""
        self._over.set()
        self._thread.join(LOOK_EVERY_SECONDS)

    def update(self, progress: "Progress") -> None:
        """Notes how far the run has come."""
        self._progress = progress

    def summary(self) -> str:
        """The run in one line."""
        run = self._run
        done = run.coverage.graded + run.coverage.failed
        tasks = f"{formats.count(done)} of {formats.count(run.coverage.selected)} tasks"
        pace = "" if self._progress is None else progress.pace(self._progress)
        return ", ".join(fact for fact in (f"{run.status}: {tasks}", progress.cost(run), pace) if fact)

    def rows(self) -> list[list[str]]:
        """The cells of each running task that is shown."""
        now = datetime.now(UTC)
        with self._guard:
            return [task.cells(now) for task in self.tasks.shown().values()]

    def _follow(self) -> None:
        from evalrouter import EvalRouterError

        while not self._over.is_set():
            with suppress(EvalRouterError):
                self._look()
            if self._every is not None and time.monotonic() - self._told >= self._every:
                self._told = time.monotonic()
                self._tell()
            self._over.wait(LOOK_EVERY_SECONDS)

    def _look(self) -> None:
        found = self._client.events.list(self._run.id, self.tasks.seq)
        with self._guard:
            for event in found:
                self.tasks.apply(event)
            shown = self.tasks.shown()
        for task_id, task in shown.items():
            calls = self._run.calls(MOST_CALLS_COUNTED, task_id).list()
            task.calls, task.cost = len(calls), sum((call.charge for call in calls), Decimal(0))
        self._run.refresh()

    def _tell(self) -> None:
        output.note(self.summary())
        for label, elapsed, calls, cost, said in self.rows():
            output.note(f"  task {label}: {elapsed}, {calls} calls, {cost} USD{f', {said}' if said else ''}")
        if hidden := self.tasks.hidden():
            output.note(f"  and {formats.count(hidden)} more")


@contextmanager
def shown(client: "EvalRouter", run: "Run", *, asks: bool) -> "Iterator[progress.Update]":
    """Show an agent's run for the time of the context.

    Args:
        client: The client.
        run: The run as it is known now.
        asks: Whether the agent asks at the terminal, where nothing may move then.

    Yields:
        What to call with how far the run has come.
    """
    is_drawn = output.is_screen(sys.stderr) and not asks
    follower = Follower(client, run, None if is_drawn else progress.LINE_EVERY_SECONDS)
    follower.start()
    try:
        if is_drawn:
            with _drawn(follower):
                yield follower.update
        else:
            yield follower.update
    finally:
        follower.stop()


@contextmanager
def _drawn(follower: Follower) -> Iterator[None]:
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False, no_color=not output.is_styled(sys.stderr))
    with Live(
        get_renderable=lambda: _table(follower),
        console=console,
        refresh_per_second=DRAW_TIMES_PER_SECOND,
        transient=True,
    ):
        yield


def _table(follower: Follower) -> "RenderableType":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, expand=True)
    for heading in ("TASK", "TIME", "CALLS", "USD"):
        table.add_column(heading, justify="left" if heading == "TASK" else "right", no_wrap=True)
    table.add_column("NOTE", ratio=1, no_wrap=True, overflow="ellipsis")
    for cells in follower.rows():
        table.add_row(*map(Text, cells))
    hidden = follower.tasks.hidden()
    more = [Text(f"and {formats.count(hidden)} more")] if hidden else []
    return Group(Text(follower.summary(), no_wrap=True, overflow="ellipsis"), table, *more)


def _label(data: Mapping[str, Any]) -> str:
    repeat = data.get("repeat")
    return f"{data.get('position')}.{repeat}" if repeat else str(data.get("position"))
