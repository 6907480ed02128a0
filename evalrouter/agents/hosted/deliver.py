"""One task inside the sandbox: the server has leased it, and the agent works on it as anywhere else."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from evalrouter._async.transport import AsyncTransport
from evalrouter.agents.acp.agent import SECONDS_BESIDE_PROMPT, AcpAgent
from evalrouter.agents.agent import Agent
from evalrouter.agents.delivering import Heartbeat, HostRuntime
from evalrouter.agents.hosted.bridge import bridge
from evalrouter.agents.registry.agent import registry_agent
from evalrouter.agents.working import work_on
from evalrouter.convert.delivery import Lease, read_lease
from evalrouter.endpoints import Endpoint, FixedEndpoint
from evalrouter.errors import EvalRouterError

REQUEST_SECONDS = 30.0


class OneTask:
    """The work on one leased task, which ends when its lease does.

    Attributes:
        run_id: Its run.

    Args:
        lease: The lease.
    """

    def __init__(self, lease: Lease) -> None:
        self.run_id = lease.run_id
        self._lease = lease
        self._task: asyncio.Task[None] | None = None

    async def run(self, agent: Agent, transport: AsyncTransport, secret: str) -> None:
        """Lets the agent work.

        Args:
            agent: The agent.
            transport: With the delivery key.
            secret: The delivery key.

        Raises:
            EvalRouterError: What came of it could not be said.
        """
        self._task = asyncio.create_task(work_on(agent, self._lease, transport, (secret,)))
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def leases(self) -> list[str]:
        """The lease."""
        return [self._lease.id]

    def over(self, lease_ids: list[str]) -> None:
        """Stops the work."""
        if self._task is not None and lease_ids:
            self._task.cancel()


async def deliver(job: Mapping[str, Any]) -> None:
    """Works on the task of a job.

    Args:
        job: `agent`, its name with its version; `allow_unverified`; `socket`, the way to the server; `delivery_key`;
            and `lease`, as the contract has it.

    Raises:
        EvalRouterError: What came of it could not be said.
    """
    agent = job_agent(job)
    async with bridge(job["socket"]) as address:
        lease = read_lease({**job["lease"], "gateway_base_url": f"{address}/gateway/v1"})
        endpoints = FixedEndpoint(Endpoint(address, job["delivery_key"]))
        transport = AsyncTransport(endpoints, timeout=REQUEST_SECONDS, max_retries=8, runtime=HostRuntime())
        task = OneTask(lease)
        heartbeat = Heartbeat(endpoints, task)
        heartbeat.start()
        try:
            await task.run(agent, transport, job["delivery_key"])
        finally:
            heartbeat.stop()
            with contextlib.suppress(EvalRouterError):
                await transport.aclose()


def job_agent(job: Mapping[str, Any]) -> AcpAgent:
    """The agent of a job; what its run gives a task is for its start and its end too."""
    seconds = max(job["lease"]["task_seconds"] - SECONDS_BESIDE_PROMPT, 1.0)
    return registry_agent(job["agent"], allow_unverified=job["allow_unverified"], timeout=seconds)
