"""What a trace connection takes."""

import math
import time
from collections.abc import Callable

from evalrouter_server.problems import Problem

SPAN_BYTES = 512 * 1024
"""Bytes of a span, written as for its content digest."""

BATCH_BYTES = 4 * 1024 * 1024
"""Bytes of a request's body, unpacked."""

BATCH_SPANS = 1000
"""Spans of a batch; the contract says the same."""

TRACE_SPANS = 25_000

REQUESTS_PER_MINUTE = 1200

SECONDS = 60


class RequestRates:
    """Counts each connection's requests in windows of a minute. A process counts its own.

    Args:
        limit: Requests in a minute.
        clock: Seconds that only ascend.
    """

    def __init__(self, limit: int = REQUESTS_PER_MINUTE, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._clock = clock
        self._window = 0
        self._counts: dict[str, int] = {}

    def admit(self, connection_id: str) -> None:
        """Count a request.

        Raises:
            Problem: `rate_limited` (details: `limit`, `retry_after_seconds`).
        """
        now = self._clock()
        window = int(now // SECONDS)
        if window != self._window:
            self._window, self._counts = window, {}
        count = self._counts.get(connection_id, 0) + 1
        if count > self._limit:
            wait = max(1, math.ceil((window + 1) * SECONDS - now))
            raise Problem(
                "rate_limited",
                f"The connection {connection_id} has made its {self._limit:,} requests of this minute: "
                f"wait {wait} s, or send more spans in one request.",
                limit=self._limit,
                retry_after_seconds=wait,
            )
        self._counts[connection_id] = count
