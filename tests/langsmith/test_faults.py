"""Whatever goes wrong at whatever point: afterwards the destination holds every closed trace once, whole, as its tree.

Each schedule is drawn from a seed: an application goes on tracing while LangSmith, the destination, the disk and the
process fail, the clock is wrong and files are lost. Then everything works again.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from random import Random

import pytest

from evalrouter.langsmith.errors import SourceError, UnavailableError
from evalrouter.langsmith.importer import Importer
from evalrouter.langsmith.mapping import Policy
from evalrouter.langsmith.source import service as source_service
from tests.langsmith import langsmith_service as source
from tests.langsmith.history import TYPES, History, uuid_of
from tests.langsmith.holding import Holding
from tests.langsmith.importing import Setting
from tests.langsmith.langsmith_service import LangSmithService, langsmith_service
from tests.langsmith.sabotage import KilledError, Sabotage
from tests.langsmith.test_sync import assert_holds
from tests.tracing import receiver

SOURCE_FAULTS = {
    "429": source.refusing(429, "0"),
    "429 for long": source.refusing(429, "86400"),
    "500": source.refusing(500),
    "503": source.refusing(503),
    "half a page": source.half,
    "cut": source.cut,
    "hangs": source.hanging,
    "no JSON": source.saying(b"<html>"),
    "another program": source.saying(b'{"hello": 1}'),
}
DESTINATION_FAULTS = {
    "503": receiver.refusing(503, "unavailable"),
    "429": receiver.refusing(429, "rate_limited"),
    "lost": receiver.lost,
    "half": receiver.half,
    "cut": receiver.cut,
    "hangs": receiver.hanging,
    "acknowledges nothing": receiver.saying(b"{}"),
}
ANSWER_SECONDS = 0.4


class Schedule:
    """A history with faults.

    Args:
        seed: What it is drawn from.
        service: LangSmith's double.
        destination: The trace connection's.
        folder: Where the files go.
    """

    def __init__(self, seed: int, service: LangSmithService, destination: Holding, folder: Path) -> None:
        self.draw = Random(seed)
        self.service = service
        self.destination = destination
        self.history = History(service)
        self.setting = Setting(service, destination.url, folder / "private", log=StringIO())
        self.policy: Policy = self.draw.choice(["metadata-only", "content"])
        self.closed: list[str] = []
        self.open: list[str] = []
        self.told: list[str] = []

    def run(self) -> None:
        """The history, the faults, the recovery and what has to be true then."""
        for _ in range(self.draw.randint(2, 4)):
            self.trace()
        for _ in range(self.draw.randint(3, 6)):
            self.draw.choice([self.trace, self.close, self.late_child, self.update, self.nothing])()
            self.break_something()
            self.process()
        self.recover()
        assert_holds(self.destination, self.service, *self.closed)
        assert not (self.setting.folder / "state.json.delivery.json").exists()

    def trace(self) -> None:
        name = len(self.closed) + len(self.open)
        closed = self.draw.random() < 0.7
        trace_id = self.history.trace(name, children=0, closed=closed)
        parents = [trace_id]
        for place in range(1, self.draw.randint(1, 9)):
            parent = self.draw.choice(parents)
            run_id = uuid_of(trace_id, place)
            self.history.run(run_id, trace_id, parent, place, run_type=self.draw.choice(TYPES))
            parents.append(run_id)
        (self.closed if closed else self.open).append(trace_id)

    def close(self) -> None:
        if self.open:
            trace_id = self.open.pop(self.draw.randrange(len(self.open)))
            self.history.close(trace_id)
            self.closed.append(trace_id)

    def late_child(self) -> None:
        if self.closed:
            trace_id = self.draw.choice(self.closed)
            self.history.late_child(trace_id, self.draw.random())

    def update(self) -> None:
        if self.closed:
            trace_id = self.draw.choice(self.closed)
            rows = [row["id"] for row in self.service.runs.values() if row["trace_id"] == trace_id]
            self.service.put({"id": self.draw.choice(rows), "status": "error", "outputs": {"new": self.draw.random()}})

    def nothing(self) -> None:
        """Nothing happens."""

    def break_something(self) -> None:
        """Puts faults in the way of the next process."""
        draw = self.draw
        self.queue(SOURCE_FAULTS, self.service.faults, 6)
        self.queue(DESTINATION_FAULTS, self.destination.faults, 2)
        self.service.clock_ahead = timedelta(minutes=draw.choice([0, 0, -5, 5]))
        lose = draw.random()
        if lose < 0.1:
            self.setting.state.unlink(missing_ok=True)
            self.told.append("checkpoint deleted")
        elif lose < 0.2:
            (self.setting.folder / "state.json.seen").unlink(missing_ok=True)
            self.told.append("seen deleted")

    def queue[F](self, faults: Mapping[str, F], queue: deque[F | None], most_between: int) -> None:
        """Draws what goes wrong with the coming requests."""
        queue.clear()
        for _ in range(self.draw.choice([0, 0, 1, 2, 7])):
            queue.extend([None] * self.draw.randint(0, most_between))
            names = [name for name in faults if name != "hangs" or self.draw.random() < 0.3]
            name = self.draw.choice(names)
            queue.append(faults[name])
            self.told.append(name)

    def process(self) -> None:
        """A process that may end in the middle of anything."""
        sabotage = Sabotage(
            self.draw.choice([-1, self.draw.randint(0, 12), self.draw.randint(0, 60)]),
            self.draw.choice(["kill before", "kill after", "disk full"]),
        )
        try:
            with self.setting.importer(self.policy, ANSWER_SECONDS) as importer, sabotage.applied():
                for _ in range(self.draw.randint(1, 3)):
                    self.cycle(importer)
        except KilledError:
            self.told.append("killed")
        except (UnavailableError, SourceError, OSError) as error:
            self.told.append(type(error).__name__)

    def cycle(self, importer: Importer) -> None:
        """What `watch` does."""
        try:
            importer.cycle(look_at_all=self.draw.random() < 0.5)
        except (UnavailableError, SourceError, OSError) as error:
            self.told.append(type(error).__name__)
            importer.reload()

    def recover(self) -> None:
        """Everything works again, and time goes on."""
        self.service.faults.clear()
        self.destination.faults.clear()
        with self.setting.importer(self.policy) as importer:
            for hours in range(0, 8, 2):
                self.service.clock_ahead = timedelta(hours=hours)
                importer.cycle(look_at_all=True)


@contextmanager
def scheduled(seed: int, folder: Path) -> Iterator[Schedule]:
    """A schedule with its two services."""
    has_v2 = seed % 2 == 0
    destination = Holding()
    with ExitStack() as stack:
        stack.enter_context(receiver.receiving(destination))
        service = stack.enter_context(langsmith_service(version="0.16.2" if has_v2 else "0.12.6", has_v2=has_v2))
        yield Schedule(seed, service, destination, folder)


SEEDS = [*range(25), 341]
"""Of 525 schedules; the last one lost a late child."""


@pytest.mark.parametrize(
    "seed", [*SEEDS, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(525) if seed not in SEEDS)]
)
def test_every_closed_trace_is_there_once_after_faults(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_service, "READ_SECONDS", 1)
    with scheduled(seed, tmp_path) as schedule:
        try:
            schedule.run()
        except BaseException as error:
            error.add_note(f"what went wrong: {', '.join(schedule.told)}")
            raise
