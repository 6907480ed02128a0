"""Traces of agents: found, read as trees, deleted. `evalrouter.tracing` sends them."""

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, overload

from evalrouter._async.catalog import AsyncBenchmarks
from evalrouter._async.pages import AsyncPages
from evalrouter._async.run import AsyncRun, OnProgress
from evalrouter._async.runs import AsyncRuns
from evalrouter._async.transport import AsyncTransport
from evalrouter.convert import traces as requests
from evalrouter.errors import InvalidArgumentError
from evalrouter.money import Usd
from evalrouter.trace_rows import RECORDED, append_row, set_manifest, trace_id_of
from evalrouter.types import Quote, Trace, TraceSpan

type Answer = str | Sequence[str]
"""What a grader compares with: the accepted answer, or several."""


class AsyncTraces:
    """What agents did, as trees of spans."""

    def __init__(self, transport: AsyncTransport, benchmarks: AsyncBenchmarks, runs: AsyncRuns) -> None:
        self._transport = transport
        self._benchmarks = benchmarks
        self._runs = runs

    async def get(self, trace_id: str) -> Trace:
        """Reads a trace, without its spans.

        Args:
            trace_id: The server's ID of it, a UUID, as receipts and `list` give it.

        Raises:
            NotFoundError: There is none.
            PermissionDeniedError: The workspace's Traces switch is off (`traces_not_enabled`).
        """
        return await self._transport.send(requests.one(trace_id))

    def list(
        self,
        *,
        name: str | None = None,
        status: str | None = None,
        connection_id: str | None = None,
        started_from: datetime | None = None,
        started_before: datetime | None = None,
        limit: int | None = None,
    ) -> AsyncPages[Trace, Trace]:
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
        return AsyncPages(self._transport, request, lambda found: found, limit)

    def spans(self, trace_id: str, limit: int | None = None) -> AsyncPages[TraceSpan, TraceSpan]:
        """A trace's spans in the order of the tree: each after its parent, with its depth.

        Args:
            trace_id: The server's ID of the trace.
            limit: How many in all; None for all.
        """
        return AsyncPages(self._transport, requests.spans_page(trace_id), lambda found: found, limit)

    @overload
    async def evaluate(
        self,
        traces: Trace | str | Iterable[Trace | str] | AsyncIterable[Trace | str],
        *,
        grader: Mapping[str, Any],
        target: Answer | None = None,
        targets: Mapping[str, Answer] | None = None,
        input: str = "",
        output: str = "",
        benchmark: str | None = None,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: Literal[False] = False,
        concurrency: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> AsyncRun: ...

    @overload
    async def evaluate(
        self,
        traces: Trace | str | Iterable[Trace | str] | AsyncIterable[Trace | str],
        *,
        grader: Mapping[str, Any],
        target: Answer | None = None,
        targets: Mapping[str, Answer] | None = None,
        input: str = "",
        output: str = "",
        benchmark: str | None = None,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: Literal[True],
        concurrency: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Quote: ...

    @overload
    async def evaluate(
        self,
        traces: Trace | str | Iterable[Trace | str] | AsyncIterable[Trace | str],
        *,
        grader: Mapping[str, Any],
        target: Answer | None = None,
        targets: Mapping[str, Answer] | None = None,
        input: str = "",
        output: str = "",
        benchmark: str | None = None,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: bool,
        concurrency: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> AsyncRun | Quote: ...

    async def evaluate(
        self,
        traces: Trace | str | Iterable[Trace | str] | AsyncIterable[Trace | str],
        *,
        grader: Mapping[str, Any],
        target: Answer | None = None,
        targets: Mapping[str, Answer] | None = None,
        input: str = "",
        output: str = "",
        benchmark: str | None = None,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: bool = False,
        concurrency: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> AsyncRun | Quote:
        """Scores what was captured, as a run with results like any other.

        The traces become a version of a benchmark of your own: each root's input is a question, its output the
        recorded answer. That copy stays when the traces are deleted. No model is called but a judge's. A trace whose
        answer is not there, as one of metadata only, fails with the reason and is never counted as wrong. The same
        traces with the same grader are the same version and the same run.

        Args:
            traces: One trace or several, or their IDs; what `list` gives is a search.
            grader: How answers are graded, as in a benchmark's manifest: `{"kind": "judge", "model": ..., "rubric":
                ...}`, `{"kind": "regex", "pattern": ...}`, `{"kind": "json_field", "pointer": ...}`, `{"kind":
                "exact"}`, `{"kind": "limit", "max_seconds": ..., "max_tokens": ..., "max_cost_usd": ...}` and so on.
            target: What every answer is compared with.
            targets: What the answers of some traces are compared with, by trace ID.
            input: Where in a root's input the question stands, as a JSON pointer; all of it by default.
            output: Where in a root's output the answer stands, as a JSON pointer, such as `/answer`.
            benchmark: The slug of the benchmark; by default one that is made of grader, target and pointers, so that
                other traces graded in the same way are its next version.
            max_cost: The most that the judge may charge, in USD.
            wait: Whether to return the ended run.
            dry_run: Whether to return the quote and start nothing; the version of the benchmark is made all the same.
            concurrency: Answers graded at once; None for the server's choice.
            name: A name for the run.
            metadata: Labels for the run.
            idempotency_key: Names the run that is meant; the same key gets the same run.
            on_progress: With `wait`, called with the progress now and then.

        Returns:
            The run; with `dry_run` the quote.

        Raises:
            InvalidArgumentError: There is no trace, or an argument is not valid; nothing was sent.
            InvalidRequestError: The grader is not valid, or lacks a target.
            NotFoundError: A trace is not there, or the judge's name is no model's.
            MaxCostTooLowError: The quote is above `max_cost`; it is in the error.
            PermissionDeniedError: The workspace's Traces switch is off, or the key lacks the scope `run`.
        """
        if isinstance(traces, Trace | str):
            wanted = [traces]
        elif isinstance(traces, AsyncIterable):
            wanted = [trace async for trace in traces]
        else:
            wanted = [*traces]
        manifest = set_manifest(
            [trace_id_of(trace) for trace in wanted],
            grader=grader,
            target=target,
            targets=targets or {},
            input=input,
            output=output,
            slug=benchmark,
        )
        made = await self._benchmarks.create(manifest)
        return await self._runs.create(
            benchmark=made.id,
            model=RECORDED,
            max_cost=max_cost,
            wait=wait,
            dry_run=dry_run,
            concurrency=concurrency,
            name=name,
            metadata=metadata,
            idempotency_key=idempotency_key,
            on_progress=on_progress,
        )

    async def save_as_row(
        self,
        trace: Trace | str,
        path: str | PathLike[str],
        *,
        target: Answer | None = None,
        input: str = "",
        output: str = "",
    ) -> bool:
        """Appends a trace to a file of JSON lines, the rows of a benchmark of your own.

        A version of a benchmark never changes, so this changes none: `benchmarks.create` with a manifest whose source
        is the file makes the next one. The row has `trace_id`, `input`, `output` where it is stored, and `target`
        where you state it: a recorded answer is not taken for the right one.

        Args:
            trace: The trace or its ID.
            path: The file; it is made where there is none.
            target: The right answer.
            input: Where in the root's input the question stands, as a JSON pointer; all of it by default.
            output: Where in the root's output the answer stands, as a JSON pointer.

        Returns:
            Whether a row was added; not where the file has one of this trace.

        Raises:
            InvalidArgumentError: The root's input is not stored or has nothing at the pointer, or the file cannot be
                read or written.
            NotFoundError: There is no such trace.
        """
        trace_id = trace_id_of(trace)
        async for span in self.spans(trace_id):
            if span.parent_span_id is None:
                return append_row(Path(path), trace_id, span, target=target, input=input, output=output)
        raise InvalidArgumentError(f"The root of the trace {trace_id} has not arrived, so that it asks nothing.")

    async def delete(self, trace_id: str) -> None:
        """Deletes a trace with its spans and their content, for good.

        Args:
            trace_id: The server's ID of the trace.

        Raises:
            NotFoundError: There is none.
        """
        await self._transport.send(requests.delete(trace_id))

    async def are_enabled(self) -> bool:
        """Whether the workspace's Traces switch is on."""
        return await self._transport.send(requests.switch())

    async def enable(self, enabled: bool = True) -> bool:
        """Turns the workspace's Traces switch; off refuses traces and hides those that are there.

        Args:
            enabled: On or off.

        Raises:
            PermissionDeniedError: The key lacks the scope `admin`.
        """
        return await self._transport.send(requests.turn_switch(enabled))
