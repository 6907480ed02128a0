"""The evaluation of an agent, step by step: quoted, started, followed."""

from evalrouter._async.run import AsyncRun
from evalrouter._async.runs import AsyncRuns
from evalrouter._async.transport import AsyncTransport
from evalrouter.agents.agent import Agent
from evalrouter.types import Quote


class AsyncAgentRun(AsyncRun):
    """A run in which an agent works: `events()`, `wait()`, `resume()` and `cancel()`, as of any run."""


class AsyncEvaluation:
    """An agent and a quote for its evaluation; nothing has started.

    Attributes:
        quote: The quote.
        agent: The agent.
    """

    def __init__(self, transport: AsyncTransport, runs: AsyncRuns, quote: Quote, agent: Agent) -> None:
        self.quote = quote
        self.agent = agent
        self._transport = transport
        self._runs = runs
        self._run: AsyncAgentRun | None = None

    async def start(self) -> AsyncAgentRun:
        """Starts the run, or gives the one that was started before; its agent works in this process unless hosted.

        Raises:
            BudgetError: The wallet or the key's ceiling cannot cover it.
            QuoteError: The quote has expired or changed.
            EvalRouterError: It could not be started.
        """
        if self._run is None:
            run = await self._runs.create(quote_id=self.quote.id, agent=self.agent)
            self._run = AsyncAgentRun(self._transport, run.data, run.reused, self.agent)
            self._run.deliver()
        return self._run

    def __repr__(self) -> str:
        return f"{type(self).__name__}(agent={self.agent.name!r}, quote={self.quote.id!r})"
