"""A state machine over everything that moves money, through the whole product: real HTTP, a server that really dies.

After each step the books are read from the tables and every promise is checked, while tasks and outside calls go on.
"""

import contextlib
import json
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.ids import new_id
from evalrouter_server.store.runs import ENDED
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.databases import empty_database
from tests.e2e.programs import wait_until
from tests.proof.books import worst_charge
from tests.proof.faults import FAULTS, SLOW_FAULTS, FaultyProvider
from tests.proof.product import Product, connection_of

SHORT = pytest.mark.timeout(300)
SOAK = (pytest.mark.soak, pytest.mark.timeout(3600))
MOST_CALLS_UNDER_WAY = 8
SELDOM = st.sampled_from([False, False, False, True])
MICROUSD = st.integers(1, 60_000)
"""Amounts about the size of a run: a task's worst case is about 2,800 micro-USD."""

type Wish = dict[str, Any]
"""What a run is asked for with, without benchmark and model."""

FIRST_WISH: Wish = {"coverage": {"mode": "sample", "sample_count": 8, "seed": 0}, "concurrency": 2}
WISHES: st.SearchStrategy[Wish] = st.fixed_dictionaries(
    {
        "coverage": st.fixed_dictionaries(
            {"mode": st.just("sample"), "sample_count": st.integers(1, 8), "seed": st.just(0)}
        ),
        "concurrency": st.integers(1, 4),
    },
    optional={"max_cost_microusd": MICROUSD, "dedupe_key": st.sampled_from("abc")},
)


@dataclass(frozen=True)
class Key:
    """A key with its secret."""

    id: str
    secret: str


@dataclass(frozen=True)
class Named:
    """A spec that a run or a quote was asked for with, and the key that asked."""

    spec: dict[str, Any]
    key: Key

    @property
    def name(self) -> str:
        """What names the run that is meant."""
        return str(self.spec.get("dedupe_key") or self.meaning)

    @property
    def meaning(self) -> str:
        """What is asked for, whatever it is named."""
        return json.dumps({**self.spec, "dedupe_key": None}, sort_keys=True)


@dataclass(frozen=True)
class Quote:
    """A quote."""

    id: str
    asked: Named


@dataclass(frozen=True)
class Access:
    """A run's ID, and a gateway key of it."""

    run_id: str
    secret: str
    model: str


class ProductMachine(RuleBasedStateMachine):
    """Quotes, creates, calls, losses, cancels, crashes, restarts, top-ups and ceilings, in any order."""

    product: Product

    keys: Bundle[Key] = Bundle("keys")
    quotes: Bundle[Quote] = Bundle("quotes")
    runs: Bundle[Access] = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self.threads = ThreadPoolExecutor(MOST_CALLS_UNDER_WAY)
        self.provider = FaultyProvider(seconds_per_task=0.4)
        self.provider.__enter__()
        self.under_way: list[tuple[Future[httpx.Response], Callable[[httpx.Response], None], int]] = []
        self.run_of: dict[str, tuple[str, str]] = {}
        self.ended: dict[str, tuple[tuple[object, ...], Any]] = {}
        self.put_in = 0

    @initialize(target=keys, allowance=st.integers(30_000, 200_000))
    def begin(self, allowance: int) -> Key:
        self.put_in = allowance
        self.workspace_id, secret = self.product.workspace(allowance)
        self.owner = Key(self.ask("GET", "/v1/whoami", 200, secret=secret)["key_id"], secret)
        found = self.ask("GET", "/v1/benchmarks?match=first-steps", 200)
        self.benchmark_id = found["items"][0]["id"]
        self.model_id = self.ask("POST", "/v1/connections", 201, connection_of(self.provider.base_url))["model_id"]
        return self._make_key(None)

    @initialize(target=runs, key=keys)
    def first_run(self, key: Key) -> Access | MultipleResults[Access]:
        return self.create(key, FIRST_WISH, dies=False)

    def teardown(self) -> None:
        """Whatever happened: all runs end, nothing stays held, and what has ended is as it was."""
        try:
            if not hasattr(self, "owner"):
                return
            self.provider.seconds_per_task = 0.0
            for run_id, _ in self.run_of.values():
                self.ask("POST", f"/v1/runs/{run_id}/cancel", 200)
            self.land_calls()
            wait_until(lambda: all(run.status in ENDED for run in self.product.books(self.workspace_id).runs))
            self.everything_is_right()
            for run_id, (_, document) in self.ended.items():
                assert self.ask("GET", f"/v1/runs/{run_id}", 200) == document
            wallet = self.ask("GET", "/v1/wallet", 200)
            assert wallet["held_microusd"] == 0
            assert wallet["available_microusd"] == self.put_in - self.product.books(self.workspace_id).charged
        finally:
            self.threads.shutdown()
            self.provider.__exit__()

    def ask(self, method: str, path: str, status: int, body: Any = None, *, secret: str | None = None) -> Any:
        response = self.product.request(method, path, secret or self.owner.secret, body)
        assert response.status_code == status, response.text
        return response.json()

    @rule(amount=MICROUSD, dies=SELDOM)
    def top_up(self, amount: int, dies: bool) -> None:
        """A top-up that is sent again, with the same key, after its answer was lost or not."""
        body, key = {"amount_microusd": amount}, new_id("key")

        def send() -> httpx.Response:
            return self.product.request("POST", "/v1/wallet/top-ups", self.owner.secret, body, Idempotency_Key=key)

        if dies:
            self._crash_during(send)
        first, again = send(), send()
        assert (first.status_code, first.json()) == (again.status_code, again.json())
        assert first.status_code == 201, first.text
        self.put_in += amount

    @rule(target=keys, ceiling=st.none() | MICROUSD)
    def another_key(self, ceiling: int | None) -> Key:
        return self._make_key(ceiling)

    def _make_key(self, ceiling: int | None) -> Key:
        limit = {} if ceiling is None else {"ceiling_microusd": ceiling}
        made = self.ask("POST", "/v1/keys", 201, {"name": "user"} | limit)
        return Key(made["key"]["id"], made["secret"])

    @rule(key=keys, ceiling=st.none() | MICROUSD)
    def change_ceiling(self, key: Key, ceiling: int | None) -> None:
        before = self._key(key)
        response = self.product.request("PATCH", f"/v1/keys/{key.id}", self.owner.secret, {"ceiling_microusd": ceiling})
        if response.status_code == 200:
            assert self._key(key)["ceiling_microusd"] == ceiling
        else:
            assert response.json()["code"] == "ceiling_below_committed", response.text
            assert ceiling is not None
            assert ceiling < before["committed_microusd"]
            assert self._key(key)["ceiling_microusd"] == before["ceiling_microusd"]

    def _key(self, key: Key) -> Any:
        return self.ask("GET", f"/v1/keys/{key.id}", 200)

    @rule(target=quotes, key=keys, wish=WISHES)
    def quote(self, key: Key, wish: Wish) -> Quote:
        asked = self._asked(key, wish)
        before = self.product.books(self.workspace_id).caps_in_force
        made = self.ask("POST", "/v1/quotes", 201, asked.spec, secret=asked.key.secret)
        assert self.product.books(self.workspace_id).caps_in_force <= before, "a quote holds nothing"
        assert made["within_max_cost"] == (made["maximum_charge_microusd"] <= (made["max_cost_microusd"] or 10**9))
        return Quote(made["id"], asked)

    @rule(target=runs, key=keys, wish=WISHES, dies=SELDOM)
    def create(self, key: Key, wish: Wish, dies: bool) -> Access | MultipleResults[Access]:
        asked = self._asked(key, wish)
        return self._create(asked, {"source": "spec", "spec": asked.spec}, dies)

    @rule(target=runs, quote=quotes, dies=SELDOM)
    def create_from_quote(self, quote: Quote, dies: bool) -> Access | MultipleResults[Access]:
        return self._create(quote.asked, {"source": "quote", "quote_id": quote.id}, dies)

    def _asked(self, key: Key, wish: Wish) -> Named:
        return Named({"benchmark_id": self.benchmark_id, "model_id": self.model_id} | wish, key)

    def _create(self, asked: Named, body: Any, dies: bool) -> Access | MultipleResults[Access]:
        def send() -> httpx.Response:
            return self.product.request("POST", "/v1/runs", asked.key.secret, body)

        if dies:
            self._crash_during(send)
        earlier = self.run_of.get(asked.name)
        before = self.product.books(self.workspace_id)
        response = send()
        if response.status_code >= 400:
            self._assert_refused_rightly(asked, response, before.wallet.available_microusd)
            return multiple()
        again = send()
        run = response.json()
        assert again.status_code == 200
        assert again.json()["id"] == run["id"]
        assert earlier is None or earlier == (run["id"], asked.meaning)
        self.run_of[asked.name] = run["id"], asked.meaning
        assert len(self.product.books(self.workspace_id).runs) == len(self.run_of)
        if earlier is not None:
            return multiple()
        assert run["cap_microusd"] <= run["maximum_charge_microusd"]
        assert run["cap_microusd"] <= asked.spec.get("max_cost_microusd", 10**9)
        return self._open(run["id"], asked.key)

    def _assert_refused_rightly(self, asked: Named, response: httpx.Response, available: int) -> None:
        problem = response.json()
        details = problem["details"]
        earlier = self.run_of.get(asked.name)
        match problem["code"]:
            case "idempotency_conflict":
                assert earlier is not None
                assert earlier[1] != asked.meaning
            case "insufficient_funds":
                assert earlier is None
                assert available < details["needed_microusd"]
            case "ceiling_exceeded":
                assert earlier is None
                assert details["committed_microusd"] + details["needed_microusd"] > details["ceiling_microusd"]
            case "max_cost_too_low":
                assert earlier is None
                self._assert_the_sample_fits(asked, details)
            case _:
                raise AssertionError(response.text)

    def _assert_the_sample_fits(self, asked: Named, details: dict[str, Any]) -> None:
        assert details["shortfall_microusd"] > 0
        fits = details["largest_sample_count"] or 0
        for count in (count for count in (fits, fits + 1) if count):
            spec = {**asked.spec, "coverage": {**asked.spec["coverage"], "sample_count": count}}
            quote = self.ask("POST", "/v1/quotes", 201, spec, secret=asked.key.secret)
            assert quote["within_max_cost"] == (count == fits)

    def _open(self, run_id: str, key: Key) -> Access | MultipleResults[Access]:
        response = self.product.request("POST", f"/v1/runs/{run_id}/gateway-keys", key.secret)
        if response.status_code == 201:
            made = response.json()
            return Access(run_id, made["secret"], made["model"])
        assert response.json()["code"] == "run_ended", response.text
        return multiple()

    @precondition(lambda self: len(self.under_way) < MOST_CALLS_UNDER_WAY)
    @rule(
        run=runs,
        fault=st.sampled_from(sorted(FAULTS)),
        stream=st.booleans(),
        output=st.sampled_from([10, 300, 3000]),
        waits=st.booleans(),
    )
    def call(self, run: Access, fault: str, stream: bool, output: int, waits: bool) -> None:
        """An outside caller's request, which is waited for or goes on meanwhile."""
        messages = [{"role": "user", "content": f"please: {fault}"}]
        body = {"model": run.model, "messages": messages, "max_tokens": output, "stream": stream}
        worst = worst_charge(messages, output)

        def check(response: httpx.Response) -> None:
            assert response.status_code != 500 or fault == "fails", response.text
            if response.status_code == 402:
                left = self._left(run.run_id)
                assert left < worst, (left, response.text)

        call = self.threads.submit(self.product.request, "POST", "/gateway/v1/chat/completions", run.secret, body)
        if waits and fault not in SLOW_FAULTS:
            check(call.result())
        else:
            self.under_way.append((call, check, self.product.starts))

    def _left(self, run_id: str) -> int:
        (run,) = (run for run in self.product.books(self.workspace_id).runs if run.id == run_id)
        return int(run.cap_microusd - run.spent_microusd)

    @precondition(lambda self: self.under_way)
    @rule()
    def land_calls(self) -> None:
        """The calls that are under way come back, or are cut off where the server died or was stopped."""
        for call, check, server in self.under_way:
            try:
                check(call.result())
            except httpx.TransportError:
                assert self.product.starts > server
        self.under_way.clear()

    @rule(mood=st.sampled_from(sorted(FAULTS)), seconds=st.sampled_from([0.0, 0.1, 0.4]))
    def change_mood(self, mood: str, seconds: float) -> None:
        """From now on the provider treats tasks otherwise."""
        self.provider.mood, self.provider.seconds_per_task = mood, seconds

    @rule(run=runs)
    def finish(self, run: Access) -> None:
        """A run works its tasks off."""
        self.provider.mood, self.provider.seconds_per_task = "answers", 0.0
        wait_until(lambda: self.ask("GET", f"/v1/runs/{run.run_id}", 200)["status"] in ENDED)

    @rule(run=runs)
    def cancel(self, run: Access) -> None:
        self.ask("POST", f"/v1/runs/{run.run_id}/cancel", 200)

    @rule(run=runs)
    def resume(self, run: Access) -> None:
        self.ask("POST", f"/v1/runs/{run.run_id}/resume", 200)

    @rule()
    def a_moment_passes(self) -> None:
        time.sleep(0.05)

    @rule()
    def crash(self) -> None:
        self.product.crash()

    @rule(gently=SELDOM)
    def restart(self, gently: bool) -> None:
        if gently:
            self.land_calls()
        self.product.restart()

    def _crash_during(self, send: Callable[[], httpx.Response]) -> None:
        """Kill the server while it is asked, and start it again: the answer may be lost, or not."""
        sent = self.threads.submit(send)
        self.product.crash()
        with contextlib.suppress(httpx.TransportError):
            sent.result()

    @invariant()
    def everything_is_right(self) -> None:
        if not hasattr(self, "owner"):
            return
        sent = len(self.provider.requests)
        books = self.product.books(self.workspace_id)
        books.assert_right(self.put_in)
        books.assert_answered(sent, self.provider.told)
        for run in books.runs:
            if run.status in ENDED:
                before = self.ended.get(run.id)
                if before is None:
                    self.ended[run.id] = books.of_run(run.id), self.ask("GET", f"/v1/runs/{run.id}", 200)
                else:
                    assert books.of_run(run.id) == before[0], "an ended run changed"
        found = self.ask("GET", "/v1/wallet/verification", 200)
        assert found["ok"], found["differences"]


@pytest.mark.parametrize(
    ("kind", "examples", "steps"),
    [
        pytest.param("sqlite", 4, 25, marks=SHORT),
        pytest.param("postgresql", 3, 25, marks=SHORT),
        pytest.param("sqlite", 150, 60, marks=SOAK),
        pytest.param("postgresql", 100, 60, marks=SOAK),
    ],
)
def test_every_order_of_events_keeps_the_promises(
    kind: str, examples: int, steps: int, templates: dict[str, str], tmp_path: Path
) -> None:
    with (
        empty_database(kind, tmp_path, templates[kind]) as url,
        Product(url, tmp_path / "data") as product,
    ):
        run_state_machine_as_test(
            type("ProductMachineHere", (ProductMachine,), {"product": product}),
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                phases=[Phase.generate, Phase.shrink],
                suppress_health_check=list(HealthCheck),
            ),
        )
