"""When a trace counts as closed: two reads, a pause apart, of a root with an end time say the same; pure."""

from hashlib import sha256
from typing import Literal

from attrs import frozen

type Verdict = Literal["closed", "open", "changing"]


@frozen
class Reading:
    """What a read of a trace found.

    Attributes:
        root_ended_ns: The root's end, nanoseconds since 1970; None while it is open or not there.
        lines: `SPAN_ID:DIGEST` of what would be sent of each run.
        at: When it was begun, in seconds of a clock that only ascends.
    """

    root_ended_ns: int | None
    lines: tuple[str, ...]
    at: float

    @property
    def digest(self) -> str:
        """Names the set of runs with their content."""
        return sha256("\n".join(sorted(self.lines)).encode("ascii")).hexdigest()


@frozen
class FirstRead:
    """What is kept of the first read until the second.

    Attributes:
        digest: See `Reading.digest`.
        runs: How many runs there are.
        at: See `Reading.at`.
    """

    digest: str
    runs: int
    at: float


def begin(reading: Reading) -> FirstRead | None:
    """What a first read leaves for the second; None where the root is open."""
    if reading.root_ended_ns is None:
        return None
    return FirstRead(reading.digest, len(reading.lines), reading.at)


def judge(first: FirstRead, second: Reading, pause: float) -> Verdict:
    """What two reads say.

    Args:
        first: The first.
        second: The second.
        pause: Seconds that have to lie between them.

    Raises:
        ValueError: They are too close.
    """
    if second.at - first.at < pause:
        raise ValueError("the two reads are too close")
    if second.root_ended_ns is None:
        return "open"
    same = first.runs == len(second.lines) and first.digest == second.digest
    return "closed" if same else "changing"
