"""Quotes, and how a run's arguments become what is sent."""

from collections.abc import Mapping

from evalrouter._async.catalog import AsyncBenchmarks, AsyncConnections, AsyncModels
from evalrouter._async.transport import AsyncTransport
from evalrouter.agents.agent import Agent
from evalrouter.agents.choosing import find_agent
from evalrouter.connection_request import checked_agent_connection
from evalrouter.convert import quotes as requests
from evalrouter.coverage import CoverageDict
from evalrouter.money import Usd
from evalrouter.names import checked_id
from evalrouter.run_request import RunArguments, read_arguments
from evalrouter.types import Quote


class AsyncQuotes:
    """What a run would cost at most. A quote costs nothing and holds nothing."""

    def __init__(
        self,
        transport: AsyncTransport,
        benchmarks: AsyncBenchmarks,
        models: AsyncModels,
        connections: AsyncConnections,
    ) -> None:
        self._transport = transport
        self._benchmarks = benchmarks
        self._models = models
        self._connections = connections

    async def create(
        self,
        *,
        benchmark: str,
        model: str | None = None,
        agent: Agent | str | None = None,
        hosted: bool = False,
        max_cost: Usd | None = None,
        coverage: CoverageDict | None = None,
        concurrency: int | None = None,
        repeats: int | None = None,
        name: str | None = None,
        metadata: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Quote:
        """Quotes a run and starts nothing; above `max_cost` the quote says so (`within_max_cost`, `shortfall`).

        Args:
            benchmark: Slug, `slug@version`, display name or exact ID.
            model: Slug, `provider/slug`, `connection:NAME`, display name or exact ID; a remote agent takes none.
            agent: Who works on the tasks, as for `runs.create`.
            hosted: Whether the server runs the agent.
            max_cost: The most that the run may charge, in USD.
            coverage: Which items; None for all.
            concurrency: Calls at once; None for the server's choice.
            repeats: How often each item is tried; None for as often as the benchmark says, once for most.
            name: A name for the run.
            metadata: Labels for the run.
            idempotency_key: Names the run that is meant; starting a quote never starts a run of the same key again.

        Raises:
            InvalidArgumentError: An argument is not valid.
            NotFoundError: There is no such benchmark or model.
            AmbiguousNameError: A name means several.
            StatusError: The server refused.
        """
        arguments = read_arguments(
            benchmark=benchmark,
            model=model,
            agent=None if agent is None else find_agent(agent, hosted=hosted),
            max_cost=max_cost,
            coverage=coverage,
            concurrency=concurrency,
            repeats=repeats,
            name=name,
            metadata=metadata,
            idempotency_key=idempotency_key,
        )
        return await self._transport.send(requests.create(await self.resolve(arguments)))

    async def get(self, quote_id: str) -> Quote:
        """Reads a quote.

        Args:
            quote_id: Its exact ID.

        Raises:
            InvalidArgumentError: It is no ID.
            NotFoundError: There is none.
        """
        return await self._transport.send(requests.read(checked_id(quote_id, "quote")))

    async def resolve(self, arguments: RunArguments) -> requests.RunSpec:
        """What is to be run with the IDs of its benchmark and of its model or remote agent, looked up side by side.

        Raises:
            InvalidArgumentError: The connection is of another kind.
            NotFoundError: There is no such benchmark, model or connection.
            AmbiguousNameError: A name means several.
        """
        model_id = connection_id = None
        if arguments.model is not None:
            benchmark, model = await self._transport.runtime.both(
                self._benchmarks.get(arguments.benchmark), self._models.get(arguments.model)
            )
            model_id = model.id
        else:
            assert arguments.agent is not None
            benchmark, connection = await self._transport.runtime.both(
                self._benchmarks.get(arguments.benchmark), self._connections.get(arguments.agent.name)
            )
            connection_id = checked_agent_connection(connection).id
        return requests.RunSpec(
            benchmark_id=benchmark.id,
            model_id=model_id,
            connection_id=connection_id,
            max_cost=arguments.max_cost,
            coverage=arguments.coverage,
            concurrency=arguments.concurrency,
            repeats=arguments.repeats or benchmark.attempts,
            name=arguments.name,
            metadata=arguments.metadata,
            dedupe_key=arguments.idempotency_key,
            agent=None if arguments.agent is None else arguments.agent.spec(),
        )
