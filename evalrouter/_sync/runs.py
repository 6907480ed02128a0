# Generated from evalrouter/_async/runs.py by scripts/regen; do not edit.

"""Runs: start them, find them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, overload

from evalrouter._sync.pages import Pages
from evalrouter._sync.quotes import Quotes
from evalrouter._sync.run import OnProgress, Run
from evalrouter._sync.transport import Transport
from evalrouter.agents.agent import Agent
from evalrouter.agents.choosing import agent_of, find_agent
from evalrouter.convert import comparisons
from evalrouter.convert import quotes as quote_requests
from evalrouter.convert import runs as requests
from evalrouter.coverage import CoverageDict
from evalrouter.exporting import ExportFile
from evalrouter.money import Usd
from evalrouter.names import checked_id
from evalrouter.notices import tell, tell_reused
from evalrouter.run_request import checked_status, compared_ids, read_arguments, refuse_beside_quote
from evalrouter.types import Comparison, Quote, RunData, RunStatus


class Runs:
    """Evaluations of one model, or of an agent with it, on one benchmark."""

    def __init__(self, transport: Transport, quotes: Quotes) -> None:
        self._transport = transport
        self._quotes = quotes

    @overload
    def create(
        self,
        *,
        benchmark: str,
        model: str | None = None,
        agent: Agent | str | None = None,
        hosted: bool = False,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: Literal[False] = False,
        coverage: CoverageDict | None = None,
        concurrency: int | None = None,
        repeats: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Run: ...

    @overload
    def create(
        self,
        *,
        quote_id: str,
        agent: Agent | str | None = None,
        wait: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Run: ...

    @overload
    def create(
        self,
        *,
        benchmark: str,
        model: str | None = None,
        agent: Agent | str | None = None,
        hosted: bool = False,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: Literal[True],
        coverage: CoverageDict | None = None,
        concurrency: int | None = None,
        repeats: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Quote: ...

    @overload
    def create(
        self,
        *,
        benchmark: str,
        model: str | None = None,
        agent: Agent | str | None = None,
        hosted: bool = False,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: bool,
        coverage: CoverageDict | None = None,
        concurrency: int | None = None,
        repeats: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Run | Quote: ...

    def create(
        self,
        *,
        benchmark: str | None = None,
        model: str | None = None,
        agent: Agent | str | None = None,
        hosted: bool = False,
        max_cost: Usd | None = None,
        wait: bool = False,
        dry_run: bool = False,
        quote_id: str | None = None,
        coverage: CoverageDict | None = None,
        concurrency: int | None = None,
        repeats: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Run | Quote:
        """Starts a run, or quotes one.

        Repeating a create never starts a second run: it returns the first one, whatever became of it (`run.reused`),
        and a line on stderr says so. Pass an `idempotency_key` of your own for a new one.

        Args:
            benchmark: Slug, `slug@version`, display name or exact ID.
            model: Slug, `provider/slug`, `connection:NAME`, display name or exact ID; a remote agent takes none.
            agent: Who works on the tasks: an `agents.Agent`, a registry ID, `local:` with a command line, or `remote:`
                with a connection's name; None: the model itself is asked. It works in this process from now on, also
                where you do not wait; a remote one is called by the server.
            hosted: Whether the server runs the agent, in a sandbox of its own; it must be one of the registry.
            max_cost: The most that the run may charge, in USD; a run whose quote is higher is refused before it
                starts. The maximum of a run with an agent is this limit itself, or all that is available; of one with a
                remote agent it is what the benchmark's judge may cost, else 0.
            wait: Whether to return the ended run.
            dry_run: Whether to return the quote and start nothing.
            quote_id: A quote to start; takes no other argument but `wait`, `on_progress` and, where it is of a Python
                agent, `agent`.
            coverage: Which items: `{"mode": "full"}` or `{"mode": "sample", "sample_count": n, "seed": s}`; None for
                all.
            concurrency: Calls at once; None for the server's choice.
            repeats: How often each item is tried; None for as often as the benchmark says, once for most.
            name: A name for the run.
            metadata: Labels for the run.
            idempotency_key: Names the run that is meant; the same key gets the same run.
            on_progress: With `wait`, called with the progress now and then.

        Returns:
            The run; with `dry_run` the quote.

        Raises:
            InvalidArgumentError: An argument is not valid; nothing was sent.
            NotFoundError: There is no such benchmark, model or quote.
            AmbiguousNameError: A name means several.
            MaxCostTooLowError: The quote is above `max_cost`; it is in the error.
            BudgetError: The wallet or the key's ceiling cannot cover it.
            QuoteError: The quote has expired or changed.
            IdempotencyConflictError: The key names a run with other arguments.
            AgentInstallError: The agent cannot be installed; nothing was started.
            StatusError: The server refused for another reason.
            TransportError: No usable answer came; repeating the call is safe.
        """
        chosen = None if agent is None else find_agent(agent, hosted=hosted)
        if quote_id is not None:
            refuse_beside_quote(
                hosted=hosted or None,
                benchmark=benchmark,
                model=model,
                max_cost=max_cost,
                dry_run=dry_run or None,
                coverage=coverage,
                concurrency=concurrency,
                repeats=repeats,
                name=name,
                metadata=metadata,
                idempotency_key=idempotency_key,
            )
            quoted = self._quotes.get(quote_id)
            chosen = agent_of(quoted.plan.agent, chosen)
            request = requests.start_quote(quoted.id)
        else:
            arguments = read_arguments(
                benchmark=benchmark,
                model=model,
                agent=chosen,
                max_cost=max_cost,
                coverage=coverage,
                concurrency=concurrency,
                repeats=repeats,
                name=name,
                metadata=metadata,
                idempotency_key=idempotency_key,
            )
            spec = self._quotes.resolve(arguments)
            if dry_run:
                return self._transport.send(quote_requests.create(spec))
            request = requests.start(spec)
        if chosen is not None:
            self._transport.runtime.in_thread(chosen.prepare, tell)
        data, reused = self._transport.send(request)
        if reused:
            tell_reused(data, from_quote=quote_id is not None)
        run = Run(self._transport, data, reused, chosen)
        if not reused:
            run.deliver()
        return run.wait(on_progress=on_progress) if wait else run

    def get(self, run_id: str) -> Run:
        """Reads a run.

        Args:
            run_id: Its exact ID.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is none.
        """
        return self._handle(self._transport.send(requests.read(checked_id(run_id, "run"))))

    def list(self, status: RunStatus | None = None, limit: int | None = None) -> Pages[RunData, Run]:
        """Runs, newest first.

        Args:
            status: Only runs with this status; None for all.
            limit: How many in all; None for all.

        Raises:
            InvalidArgumentError: There is no such status.
        """
        wanted = checked_status(status)
        return Pages(self._transport, lambda position: requests.page(position, wanted), self._handle, limit)

    def cancel(self, run_id: str) -> Run:
        """Stops a run: no new call starts, calls in flight finish and are charged, what was graded stays.

        Args:
            run_id: Its exact ID.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is none.
        """
        return self._handle(self._transport.send(requests.cancel(checked_id(run_id, "run"))))

    def resume(self, run_id: str, agent: Agent | str | None = None) -> Run:
        """Goes on with a paused run; one that is not paused stays as it is.

        Args:
            run_id: Its exact ID.
            agent: The run's agent, which works in this process from now on; needed where it is written in Python.

        Raises:
            InvalidArgumentError: It is no ID, or the agent is missing or another one.
            NotFoundError: There is none.
        """
        return (self.get(run_id)).resume(agent)

    def compare(self, baseline: Run | str, *others: Run | str) -> Comparison:
        """Compares runs of one benchmark with a baseline, on the questions that both graded.

        Args:
            baseline: The run that the others are compared with, or its exact ID.
            *others: One to nine others, or their exact IDs.

        Raises:
            InvalidArgumentError: There is no other run, there are too many, or one is no ID.
            NotFoundError: There is no such run.
            ConflictError: Their benchmarks, versions, protocols or questions differ (`not_comparable`).
        """
        baseline_id, other_ids = compared_ids(baseline, others)
        return self._transport.send(comparisons.compare(baseline_id, other_ids))

    def export_comparison(
        self,
        baseline: Run | str,
        *others: Run | str,
        path: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Writes a comparison to a file: one HTML page, which loads nothing.

        Args:
            baseline: The run that the others are compared with, or its exact ID.
            *others: One to nine others, or their exact IDs.
            path: The file, or a folder; None for the working folder. In a folder it gets a fresh name.
            overwrite: Whether a file that is there may be replaced.

        Returns:
            The file.

        Raises:
            InvalidArgumentError: There is no other run, there are too many, or one is no ID.
            ExportExistsError: The file is there and `overwrite` is not set.
            NotFoundError: There is no such run.
            ConflictError: They cannot be compared (`not_comparable`).
        """
        baseline_id, other_ids = compared_ids(baseline, others)
        arguments = comparisons.report(baseline_id, other_ids)
        file = ExportFile(path, f"comparison-{baseline_id}", "html", overwrite)
        with file:
            for chunk in self._transport.stream_bytes(arguments):
                file.write(chunk)
        return file.path

    def _handle(self, data: RunData) -> Run:
        return Run(self._transport, data)
