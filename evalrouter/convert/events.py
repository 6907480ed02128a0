"""A run's events, which the transport reads from streams."""

import json

from evalrouter_api import models as wire

from evalrouter import types


def event(found: wire.RunEvent) -> types.RunEvent:
    """An event."""
    return types.RunEvent(run_id=found.run_id, seq=found.seq, type=found.type_, at=found.at, data=found.data.to_dict())


def event_of_stream(data: str) -> types.RunEvent:
    """An event from the text of a server-sent one.

    Raises:
        ValueError: The text is not such an event (KeyError or TypeError for parts of it).
    """
    return event(wire.RunEvent.from_dict(json.loads(data)))
