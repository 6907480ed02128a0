"""`agents.quote`: the first step of evaluating an agent step by step."""

from typing import TYPE_CHECKING

from evalrouter._async.agents import AsyncAgentRun, AsyncEvaluation
from evalrouter._async.client import AsyncEvalRouter
from evalrouter._sync.agents import AgentRun, Evaluation
from evalrouter._sync.client import EvalRouter
from evalrouter.agents.choosing import find_agent

if TYPE_CHECKING:
    from evalrouter.agents.agent import Agent
    from evalrouter.coverage import CoverageDict
    from evalrouter.money import Usd

__all__ = ["AgentRun", "AsyncAgentRun", "AsyncEvaluation", "Evaluation", "quote", "quote_async"]


def quote(
    *,
    benchmark: str,
    model: str | None = None,
    agent: "Agent | str",
    hosted: bool = False,
    max_cost: "Usd | None" = None,
    coverage: "CoverageDict | None" = None,
    client: EvalRouter | None = None,
) -> Evaluation:
    """Quotes the evaluation of an agent and starts nothing.

    Args:
        benchmark: Slug, `slug@version`, display name or exact ID.
        model: Slug, `provider/slug`, `connection:NAME`, display name or exact ID; None for a remote agent alone.
        agent: An `agents.Agent`, a registry ID, `local:` with a command line, or `remote:` with a connection's name.
        hosted: Whether the server runs the agent.
        max_cost: The most that the run may charge, in USD; None for all that is available.
        coverage: Which items; None for all.
        client: The client; None for `EvalRouter()`.

    Returns:
        The evaluation, with its `quote` and `start()`.

    Raises:
        InvalidArgumentError: An argument is not valid.
        NotFoundError: There is no such benchmark or model.
        StatusError: The server refused.
    """
    chosen, client = find_agent(agent, hosted=hosted), client or EvalRouter()
    quoted = client.quotes.create(benchmark=benchmark, model=model, agent=chosen, max_cost=max_cost, coverage=coverage)
    return Evaluation(client._transport, client.runs, quoted, chosen)


async def quote_async(
    *,
    benchmark: str,
    model: str | None = None,
    agent: "Agent | str",
    hosted: bool = False,
    max_cost: "Usd | None" = None,
    coverage: "CoverageDict | None" = None,
    client: AsyncEvalRouter | None = None,
) -> AsyncEvaluation:
    """Quotes the evaluation of an agent and starts nothing; as `quote`, awaited, with an `AsyncEvalRouter`."""
    chosen, client = find_agent(agent, hosted=hosted), client or AsyncEvalRouter()
    quoted = await client.quotes.create(
        benchmark=benchmark, model=model, agent=chosen, max_cost=max_cost, coverage=coverage
    )
    return AsyncEvaluation(client._transport, client.runs, quoted, chosen)
