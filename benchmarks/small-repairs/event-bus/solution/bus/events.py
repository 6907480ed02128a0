"""A bus for events."""

from collections import defaultdict
from collections.abc import Callable

type Handler = Callable[[object], object]


class EventBus:
    """Calls those who want to know of events."""

    def __init__(self) -> None:
        self._subscriptions: defaultdict[str, dict[object, Handler]] = defaultdict(dict)

    def subscribe(self, name: str, handler: Handler) -> Callable[[], None]:
        """Call a handler at each event of a name."""
        token = object()
        self._subscriptions[name][token] = handler

        def end() -> None:
            self._subscriptions[name].pop(token, None)

        return end

    def once(self, name: str, handler: Handler) -> Callable[[], None]:
        """Call a handler at the next event of a name."""

        def call(event: object) -> None:
            end()
            handler(event)

        end = self.subscribe(name, call)
        return end

    def publish(self, name: str, event: object = None) -> int:
        """Tell of an event.

        Returns:
            How many handlers were called.

        Raises:
            ExceptionGroup: Some of them raised.
        """
        current = self._subscriptions[name]
        called, raised = 0, []
        for token, handler in list(current.items()):
            if token in current:
                called += 1
                try:
                    handler(event)
                except Exception as error:
                    raised.append(error)
        if raised:
            raise ExceptionGroup(f"handlers of {name} failed", raised)
        return called
