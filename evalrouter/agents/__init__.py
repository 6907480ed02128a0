"""Agents: write one in Python, or name one, and evaluate it on a benchmark.

from evalrouter import EvalRouter, agents


class Solver(agents.Agent):
    name = "my solver"

    async def run(self, context):
        task = await context.task.get()
        reply = await context.gateway.chat(messages=task["inputs"]["messages"])
        await context.task.submit(reply["choices"][0]["message"]["content"])
        await context.task.done()


run = EvalRouter().runs.create(benchmark="gsm8k", model="gpt-5", agent=Solver(), max_cost=2, wait=True)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrouter.agents.acp.local import local_agent
    from evalrouter.agents.agent import Agent, AgentSpec, Progress, TaskFailed
    from evalrouter.agents.context import AgentContext, AgentTask
    from evalrouter.agents.gateway import AgentGateway, GatewayError
    from evalrouter.agents.quoting import AgentRun, AsyncAgentRun, AsyncEvaluation, Evaluation, quote, quote_async
    from evalrouter.agents.registry.agent import registry_agent
    from evalrouter.agents.remote import remote_agent
    from evalrouter.agents.sync_context import SyncAgentContext, SyncAgentGateway, SyncAgentTask

_HOMES = {
    "Agent": "agent",
    "AgentContext": "context",
    "AgentGateway": "gateway",
    "AgentRun": "quoting",
    "AgentSpec": "agent",
    "AgentTask": "context",
    "AsyncAgentRun": "quoting",
    "AsyncEvaluation": "quoting",
    "Evaluation": "quoting",
    "GatewayError": "gateway",
    "Progress": "agent",
    "SyncAgentContext": "sync_context",
    "SyncAgentGateway": "sync_context",
    "SyncAgentTask": "sync_context",
    "TaskFailed": "agent",
    "local_agent": "acp.local",
    "registry_agent": "registry.agent",
    "remote_agent": "remote",
    "quote": "quoting",
    "quote_async": "quoting",
}

__all__ = [
    "Agent",
    "AgentContext",
    "AgentGateway",
    "AgentRun",
    "AgentSpec",
    "AgentTask",
    "AsyncAgentRun",
    "AsyncEvaluation",
    "Evaluation",
    "GatewayError",
    "Progress",
    "SyncAgentContext",
    "SyncAgentGateway",
    "SyncAgentTask",
    "TaskFailed",
    "local_agent",
    "quote",
    "quote_async",
    "registry_agent",
    "remote_agent",
]


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'evalrouter.agents' has no attribute {name!r}")
    value = getattr(import_module(f"evalrouter.agents.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
