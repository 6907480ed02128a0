"""What the types of a run's events mean."""

from evalrouter.types import RunEvent

LAST_TYPES = frozenset({"run.ended", "run.paused"})
"""The types after which the server ends the stream."""


def ends_stream(event: RunEvent) -> bool:
    """Whether no further event comes until the run is resumed, if ever."""
    return event.type in LAST_TYPES
