"""A bus for events."""

from collections import defaultdict
from collections.abc import Callable

type Handler = Callable[[object], object]


class EventBus:
    """Calls those who want to know of events."""

    def __init__(self) -> None:
        self._handlers: defaultdict[str, list[Handler]] = defaultdict(list)

    def subscribe(self, name: str, handler: Handler) -> Callable[[], None]:
        """Call a handler at each event of a name."""
        self._handlers[name].append(handler)
        return lambda: self._handlers[name].remove(handler)

    def once(self, name: str, handler: Handler) -> Callable[[], None]:
        """Call a handler at the next event of a name."""

        def call(event: object) -> None:
            handler(event)
            end()

        end = self.subscribe(name, call)
        return end

    def publish(self, name: str, event: object = None) -> int:
        """Tell of an event."""
        for handler in self._handlers[name]:
            handler(event)
        return len(self._handlers[name])
