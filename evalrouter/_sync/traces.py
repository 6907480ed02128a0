# Generated from evalrouter/_async/traces.py by scripts/regen; do not edit.

"""Traces of agents: found, read as trees, deleted. `evalrouter.tracing` sends them."""

from datetime import datetime

from evalrouter._sync.pages import Pages
from evalrouter._sync.transport import Transport
from evalrouter.convert import traces as requests
from evalrouter.types import Trace, TraceSpan


class Traces:
    """What agents did, as trees of spans."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, trace_id: str) -> Trace:
        """Reads a trace, without its spans.

        Args:
            trace_id: The server's ID of it, a UUID, as receipts and `list` give it.

        Raises:
            NotFoundError: There is none.
            PermissionDeniedError: The workspace's Traces switch is off (`traces_not_enabled`).
        """
        return self._transport.send(requests.one(trace_id))

    def list(
        self,
        *,
        name: str | None = None,
        status: str | None = None,
        connection_id: str | None = None,
        started_from: datetime | None = None,
        started_before: datetime | None = None,
        limit: int | None = None,
    ) -> Pages[Trace, Trace]:
        """Traces, the last to arrive first.

        Args:
            name: Only those whose root's name holds this, in whatever case.
            status: Only those whose root has this status: `ok`, `error` or `unset`.
            connection_id: Only those that came in over this connection.
            started_from: Only those that started then or later; an aware time.
            started_before: Only those that started before; an aware time.
            limit: How many in all; None for all.

        Raises:
            InvalidArgumentError: The status is none, or a time has no offset.
        """
        request = requests.traces_page(
            name=name,
            status=status,
            connection_id=connection_id,
            started_from=started_from,
            started_before=started_before,
        )
        return Pages(self._transport, request, lambda found: found, limit)

    def spans(self, trace_id: str, limit: int | None = None) -> Pages[TraceSpan, TraceSpan]:
        """A trace's spans in the order of the tree: each after its parent, with its depth.

        Args:
            trace_id: The server's ID of the trace.
            limit: How many in all; None for all.
        """
        return Pages(self._transport, requests.spans_page(trace_id), lambda found: found, limit)

    def delete(self, trace_id: str) -> None:
        """Deletes a trace with its spans and their content, for good.

        Args:
            trace_id: The server's ID of the trace.

        Raises:
            NotFoundError: There is none.
        """
        self._transport.send(requests.delete(trace_id))

    def are_enabled(self) -> bool:
        """Whether the workspace's Traces switch is on."""
        return self._transport.send(requests.switch())

    def enable(self, enabled: bool = True) -> bool:
        """Turns the workspace's Traces switch; off refuses traces and hides those that are there.

        Args:
            enabled: On or off.

        Raises:
            PermissionDeniedError: The key lacks the scope `admin`.
        """
        return self._transport.send(requests.turn_switch(enabled))
