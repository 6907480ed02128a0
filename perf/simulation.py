"""How many gateways, and what PostgreSQL, a load of agents needs: `python perf/simulation.py [AGENTS]`.

A discrete-event model (SimPy) of agents that think, call, and wait for the provider; of gateways, each a process on a
core of its own; and of the ledger's group-committing writers, one for each gateway, which share one database. Before
it answers it is checked: what a lone call waits for commits and the processor time of a call at 64 connections are
measured on this machine, and the rates that the model makes of them, where client, gateway and upstream share the
cores, are compared with those that are measured. The exit code is 1 where they differ by more than a third.
"""

import os
import random
import statistics
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import simpy

from perf.gateway import DELAY_SECONDS, ours
from perf.load import load
from perf.upstream import upstream
from scripts.machine import machine

CONNECTIONS = (64, 16, 256)
"""The first of them tells what a call costs."""
TOLERANCE = 1 / 3
GROUP_LIMIT = 500
"""Items that a writer commits together at most."""

type Steps = Generator[simpy.Event, Any, None]


@dataclass(frozen=True, slots=True)
class Costs:
    """Processor and database time of one call, in seconds.

    Attributes:
        gateway: Of the gateway's process.
        client: Of the caller's process; 0 where callers have machines of their own.
        upstream: Of the provider's double; 0 for a provider elsewhere.
        commit: Of a group's commit, whatever its size.
        item: Of each reservation or settlement within a group.
    """

    gateway: float
    client: float = 0.0
    upstream: float = 0.0
    commit: float = 0.004
    item: float = 1 / 6_000


@dataclass(frozen=True, slots=True)
class Load:
    """Who calls.

    Attributes:
        agents: How many at once; each has one call under way, or thinks.
        think_seconds: Mean of an exponential time between two calls of one agent.
        provider_seconds: Median of the provider's time, lognormal with sigma `provider_sigma`.
        provider_sigma: 0 for a fixed time.
    """

    agents: int
    think_seconds: float
    provider_seconds: float
    provider_sigma: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Attributes:
        calls_per_second: Finished ones.
        added_p50_ms: Median of what gateway and ledger add to a call, in milliseconds.
        added_p99_ms: What 99 in 100 stay below.
        gateway_use: Share of the gateways' time.
        database_use: Share of the database's time.
    """

    calls_per_second: float
    added_p50_ms: float
    added_p99_ms: float
    gateway_use: float
    database_use: float


class Model:
    """One simulated system.

    Args:
        costs: What a call costs.
        load: Who calls.
        gateways: Gateway processes.
        databases: Groups that the database commits side by side.
        cores: Cores that client, gateways and upstream share; None where each process has its own.
        seed: Of the random times.
    """

    def __init__(
        self, costs: Costs, load: Load, gateways: int, databases: int, cores: int | None = None, seed: int = 1
    ) -> None:
        self._costs = costs
        self._load = load
        self._random = random.Random(seed)
        self._environment = simpy.Environment()
        self._cores = None if cores is None else simpy.Resource(self._environment, cores)
        self._client = simpy.Resource(self._environment, 1)
        self._upstream = simpy.Resource(self._environment, 1)
        self._gateways = [simpy.Resource(self._environment, 1) for _ in range(gateways)]
        self._database = simpy.Resource(self._environment, databases)
        self._waiting: list[simpy.Store] = [simpy.Store(self._environment) for _ in range(gateways)]
        self._added: list[float] = []
        self._busy = {"gateway": 0.0, "database": 0.0}
        self._counts_from = 0.0

    def run(self, seconds: float) -> Outcome:
        """Simulate, after a fifth of the time to warm up.

        Args:
            seconds: Simulated time that counts.
        """
        for number in range(self._load.agents):
            self._environment.process(self._agent(number % len(self._gateways)))
        for number in range(len(self._gateways)):
            self._environment.process(self._writer(number))
        self._counts_from = seconds / 5
        self._environment.run(until=self._counts_from + seconds)
        centiles = statistics.quantiles(self._added, n=100) if len(self._added) > 1 else [float("nan")] * 99
        return Outcome(
            len(self._added) / seconds,
            centiles[49] * 1000,
            centiles[98] * 1000,
            self._busy["gateway"] / seconds / len(self._gateways),
            self._busy["database"] / seconds / self._database.capacity,
        )

    def _agent(self, gateway: int) -> Steps:
        think = self._load.think_seconds
        yield self._environment.timeout(self._random.uniform(0, think + self._load.provider_seconds))
        while True:
            if think:
                yield self._environment.timeout(self._random.expovariate(1 / think))
            began = self._environment.now
            provider = self._load.provider_seconds
            if self._load.provider_sigma:
                provider *= self._random.lognormvariate(0, self._load.provider_sigma)
            yield from self._work(self._client, self._costs.client / 2)
            yield from self._work(self._gateways[gateway], self._costs.gateway / 2, "gateway")
            yield self._commit(gateway)
            yield from self._work(self._upstream, self._costs.upstream)
            yield self._environment.timeout(provider)
            yield from self._work(self._gateways[gateway], self._costs.gateway / 2, "gateway")
            yield self._commit(gateway)
            yield from self._work(self._client, self._costs.client / 2)
            if began >= self._counts_from:
                self._added.append(self._environment.now - began - provider)

    def _work(self, process: simpy.Resource, seconds: float, counted: str | None = None) -> Steps:
        if not seconds:
            return
        with process.request() as turn:
            yield turn
            if self._cores is None:
                yield self._environment.timeout(seconds)
            else:
                with self._cores.request() as core:
                    yield core
                    yield self._environment.timeout(seconds)
        if counted and self._environment.now >= self._counts_from:
            self._busy[counted] += seconds

    def _commit(self, gateway: int) -> simpy.Event:
        done = self._environment.event()
        self._waiting[gateway].put(done)
        return done

    def _writer(self, gateway: int) -> Steps:
        waiting = self._waiting[gateway]
        while True:
            group = [(yield waiting.get())]
            while waiting.items and len(group) < GROUP_LIMIT:
                group.append((yield waiting.get()))
            seconds = self._costs.commit + self._costs.item * len(group)
            with self._database.request() as turn:
                yield turn
                yield self._environment.timeout(seconds)
            if self._environment.now >= self._counts_from:
                self._busy["database"] += seconds
            for done in group:
                done.succeed()


def cpu_seconds(pid: int) -> float:
    """Processor seconds of a process so far."""
    figures = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(figures[11]) + int(figures[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def measured_gateway() -> Iterator[tuple[str, str, str, int, int]]:
    """A gateway and its upstream; gives where and with what to call, and both processes' IDs."""
    with tempfile.TemporaryDirectory() as folder, upstream(DELAY_SECONDS) as url:
        before = children()
        with ours(url, Path(folder)) as (base_url, key, model):
            (gateway,) = children() - before
            (double,) = before
            yield base_url, key, model, gateway, double


def children() -> set[int]:
    """This process's children."""
    told = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text()
    return set(map(int, told.split()))


def check(seconds: float) -> tuple[Costs, bool]:
    """Measure what a call costs, and compare the model's rates with measured ones."""
    exact = True
    with measured_gateway() as (base_url, key, model, gateway, double):
        alone = load(base_url, key, model, 1, seconds, False)
        costs: Costs | None = None
        print("connections   measured/s   simulated/s   ms of processor a call")
        for connections in CONNECTIONS:
            used, provider, own = cpu_seconds(gateway), cpu_seconds(double), sum(os.times()[2:4])
            got = load(base_url, key, model, connections, seconds, False)
            calls = got.requests_per_second * seconds * 1.2
            used, provider = cpu_seconds(gateway) - used, cpu_seconds(double) - provider
            own = sum(os.times()[2:4]) - own
            if costs is None:
                waited = alone.p50_ms / 1000 - DELAY_SECONDS - (used + own + provider) / calls
                costs = Costs(used / calls, own / calls, provider / calls, commit=max(waited, 0.0) / 2)
            simulated = Model(costs, Load(connections, 0.0, DELAY_SECONDS), 1, 1, os.cpu_count()).run(10)
            difference = simulated.calls_per_second / got.requests_per_second - 1
            exact &= abs(difference) <= TOLERANCE
            print(
                f"{connections:>11}{got.requests_per_second:>13,.0f}{simulated.calls_per_second:>14,.0f}"
                f"{used / calls * 1000:>12.2f}   ({difference:+.0%})",
                flush=True,
            )
    assert costs is not None
    return costs, exact


def main(agents: int = 10_000, seconds: float = 6.0) -> int:
    """Check the model, then find the fewest gateways for a load."""
    for name in [name for name in os.environ if name.startswith("EVALROUTER_")]:
        del os.environ[name]
    print(f"the model beside a gateway on SQLite on {machine()}")
    costs, exact = check(seconds)
    wanted = Load(agents, think_seconds=5.0, provider_seconds=4.0, provider_sigma=0.6)
    alone = Costs(gateway=costs.gateway)
    print(f"{agents:,} agents that think for 5 s and wait 4 s for a provider, on PostgreSQL:")
    print("gateways   commits at once   calls/s   added p50 ms   p99 ms   gateways' use   database's use")
    for gateways, databases in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (4, 2), (6, 4)):
        got = Model(alone, wanted, gateways, databases).run(20)
        print(
            f"{gateways:>8}{databases:>18}{got.calls_per_second:>10,.0f}{got.added_p50_ms:>15,.1f}"
            f"{got.added_p99_ms:>9,.1f}{got.gateway_use:>16.0%}{got.database_use:>17.0%}",
            flush=True,
        )
    return int(not exact)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
