"""A run as a handle: its last known state, and what can be done with it."""

import os
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

from evalrouter._async.pages import AsyncPages
from evalrouter._async.transport import AsyncTransport
from evalrouter.agents.agent import Agent
from evalrouter.agents.choosing import agent_of, find_agent, works_here
from evalrouter.concurrency import AsyncStream
from evalrouter.convert import quotes as quote_requests
from evalrouter.convert import runs as requests
from evalrouter.errors import RequestTimeoutError, ServerConnectionError
from evalrouter.events import ends_stream
from evalrouter.exporting import ExportFile, checked_format
from evalrouter.names import checked_id
from evalrouter.retry import Deadline
from evalrouter.run_view import RunView
from evalrouter.types import Call, ExportFormat, GatewayKey, Progress, Quote, RunData, RunEvent, TaskResult
from evalrouter.waiting import Watch, checked_timeout

type OnProgress = Callable[[Progress], object]
"""What is told how far a run has come."""


class AsyncRun(RunView):
    """An evaluation of one model on one benchmark.

    Its properties read a frozen snapshot (`data`) of what the server last said; `refresh()`, `wait()`, `cancel()` and
    `resume()` replace it. Two handles are equal when they name the same run.
    """

    def __init__(
        self, transport: AsyncTransport, data: RunData, reused: bool = False, agent: Agent | None = None
    ) -> None:
        super().__init__(data, reused)
        self._transport = transport
        self._agent = agent

    async def refresh(self) -> "AsyncRun":
        """Reads the run again.

        Returns:
            This run.

        Raises:
            EvalRouterError: It could not be read.
        """
        self._data = await self._transport.send(requests.read(self.id))
        return self

    async def wait(self, timeout: float | None = None, on_progress: OnProgress | None = None) -> "AsyncRun":
        """Waits until the run has ended, whatever its status then.

        It follows the server's events and falls back to asking; lost connections and a restarted server do not end it.
        A paused run is resumed. The run itself is never stopped: not by the time limit, not by Ctrl-C.

        Args:
            timeout: Seconds to wait at most; None for no limit.
            on_progress: Called with the progress now and then, and at the end.

        Returns:
            This run, ended.

        Raises:
            WaitTimeout: It has not ended in time; it goes on.
            RunPausedError: It pauses again and again without getting on.
            TransportError: The server was out of reach for five minutes.
            StatusError: The server refused.
            AgentInstallError: Its agent, which works in this process, cannot be installed.
        """
        clock = self._transport.runtime.monotonic
        watch = Watch(self.id, checked_timeout(timeout), Deadline.after(clock, checked_timeout(timeout)))
        while True:
            try:
                await self._read(watch, on_progress)
                if self.has_ended:
                    return await self._finished()
                watch.check(self.status)
                self._check_delivery()
                if self.status == "paused":
                    watch.resuming(self._data)
                    await self.resume()
                self.deliver()
                if watch.may_listen() and not self.has_ended:
                    await self._listen(watch, on_progress)
                    if self.has_ended:
                        return await self._finished()
            except (ServerConnectionError, RequestTimeoutError) as error:
                watch.lost(error)
            watch.check(self.status)
            await self._transport.runtime.sleep(watch.pause(self._transport.runtime.random()))

    async def _finished(self) -> "AsyncRun":
        """This run, once its agents of this process are gone with all that they had."""
        if self._data.agent is not None:
            from evalrouter.agents.host import host

            await self._transport.runtime.in_thread(host().finish, self.id)
        return self

    def _check_delivery(self) -> None:
        if self._agent is not None:
            from evalrouter.agents.host import host

            host().check(self.id)

    async def _read(self, watch: Watch, on_progress: OnProgress | None) -> None:
        before = self._data.last_seq
        await self.refresh()
        watch.reached()
        if self._data.last_seq != before:
            watch.heard()
        if on_progress is not None:
            on_progress(watch.progress(self._data))

    async def _listen(self, watch: Watch, on_progress: OnProgress | None) -> None:
        stream = requests.event_stream(self.id, self._data.last_seq, of_tasks=on_progress is not None)
        async with aclosing(self._transport.stream_events(stream, watch.listening_until())) as events:
            async for event in events:
                watch.heard()
                if ends_stream(event) or watch.wants_reading():
                    await self._read(watch, on_progress)

    async def events(self, after: int = 0) -> AsyncStream[RunEvent]:
        """The run's events as they happen, from the first or from a number on, until it ends or pauses.

        A lost connection is taken up where it was lost: no event is skipped or given twice.

        Args:
            after: Number of the last event that you have; 0 for none.

        Raises:
            TransportError: The server was out of reach for five minutes.
            StatusError: The server refused.
        """
        runtime = self._transport.runtime
        watch = Watch(self.id, None, Deadline(runtime.monotonic, None))
        while True:
            try:
                async with aclosing(self._transport.stream_events(requests.event_stream(self.id, after))) as events:
                    async for event in events:
                        watch.heard()
                        if event.seq > after:
                            after = event.seq
                            yield event
                        if ends_stream(event):
                            return
                data = await self._transport.send(requests.read(self.id))
                if data.last_seq <= after and (data.has_ended or data.status == "paused"):
                    return
                watch.reached()
            except (ServerConnectionError, RequestTimeoutError) as error:
                watch.lost(error)
            await runtime.sleep(watch.pause(runtime.random()))

    def results(self, limit: int | None = None) -> AsyncPages[TaskResult, TaskResult]:
        """The results of its tasks in the order of the plan, read page by page; a task without a result is missing.

        Args:
            limit: How many in all; None for all.
        """
        return AsyncPages(
            self._transport, lambda position: requests.results_page(self.id, position), lambda result: result, limit
        )

    def calls(self, limit: int | None = None, task_id: str | None = None) -> AsyncPages[Call, Call]:
        """Its model calls, oldest first, read page by page; they explain every charge.

        Args:
            limit: How many in all; None for all.
            task_id: Only those of this task.

        Raises:
            InvalidArgumentError: `task_id` is no ID.
        """
        task = None if task_id is None else checked_id(task_id, "task")
        return AsyncPages(
            self._transport, lambda position: requests.calls_page(self.id, position, task), lambda call: call, limit
        )

    async def cancel(self) -> "AsyncRun":
        """Stops the run: no new call starts, calls in flight finish and are charged, what was graded stays.

        Returns:
            This run, `cancelling` or ended; an ended run stays as it is.

        Raises:
            EvalRouterError: It could not be stopped.
        """
        self._data = await self._transport.send(requests.cancel(self.id))
        return self

    async def resume(self, agent: Agent | str | None = None) -> "AsyncRun":
        """Goes on with a paused run; done tasks are not repeated and settled calls not sent again.

        Args:
            agent: The run's agent, which works in this process from now on; needed where it is written in Python and
                this handle did not start it.

        Returns:
            This run; one that is not paused stays as it is.

        Raises:
            InvalidArgumentError: The agent is missing, or another one.
            EvalRouterError: It could not be resumed.
        """
        if not self.has_ended:
            given = self._agent if agent is None else find_agent(agent)
            self._agent = agent_of(self._data.agent, given)
        self._data = await self._transport.send(requests.resume(self.id))
        self.deliver()
        return self

    @property
    def is_delivered_here(self) -> bool:
        """Whether the run's agent works in this process."""
        if not works_here(self._agent):
            return False
        from evalrouter.agents.host import host

        return host().is_delivering(self.id)

    def deliver(self) -> None:
        """Has the run's agent work in this process, where this handle knows it; otherwise does nothing."""
        if self._agent is not None and works_here(self._agent) and not self.has_ended:
            from evalrouter.agents.host import host

            host().deliver(self._transport.endpoints, self.id, self._agent)

    async def export(
        self,
        path: str | os.PathLike[str] | None = None,
        format: ExportFormat = "json",
        overwrite: bool = False,
    ) -> Path:
        """Writes the run with all its results to a file, streaming; the file appears once it is complete.

        Args:
            path: The file, or a folder; None for the working folder. In a folder it gets a fresh name after the run.
            format: `json`, `jsonl`, `csv`, `parquet` (where the server has pyarrow), or `html`: one page with score,
                charts and every task, which loads nothing.
            overwrite: Whether a file that is there may be replaced.

        Returns:
            The file.

        Raises:
            ExportExistsError: The file is there and `overwrite` is not set.
            EvalRouterError: It could not be exported.
        """
        arguments = requests.export(self.id, checked_format(format))
        file = ExportFile(path, f"{self.benchmark.slug}-{self.id}", format, overwrite)
        with file:
            async for chunk in self._transport.stream_bytes(arguments):
                file.write(chunk)
        return file.path

    async def gateway_key(self) -> GatewayKey:
        """Makes a key for other programs that can only call this run's model, within its cap, until it ends.

        Raises:
            EvalRouterError: The run has ended, or the key could not be made.
        """
        return await self._transport.send(requests.new_gateway_key(self.id))

    async def quote(self) -> Quote:
        """The quote that it runs.

        Raises:
            EvalRouterError: It could not be read.
        """
        return await self._transport.send(quote_requests.read(self.quote_id))
