"""The built-in model: the real weights in a real process."""

import asyncio
import contextlib
import importlib.util
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from evalrouter_server.catalog import local_model
from evalrouter_server.catalog.cache import FetchError, FileCache, Progress
from evalrouter_server.catalog.local_model import LocalModel
from evalrouter_server.catalog.models import BUILT_IN_ID
from evalrouter_server.gateway.routing import Router, RunRoute
from evalrouter_server.local_model_process import unsupported_reason
from evalrouter_server.problems import Problem
from evalrouter_server.quoting.plan import Concurrency, Coverage, Plan, PlannedBenchmark, PlannedCall, PlannedModel
from evalrouter_server.quoting.price import Usage
from evalrouter_server.secrets import SecretBox
from evalrouter_server.store.database import Database

from tests.gateway.bench import Bench, open_bench
from tests.upstreams.weights import weights

OWNER = Path(__file__).with_name("owner.py")


@pytest_asyncio.fixture
async def model(tmp_path: Path) -> AsyncIterator[LocalModel]:
    file = weights()
    said: list[str] = []
    opened = LocalModel(FileCache(tmp_path), said.append, weights=lambda _: file)
    yield opened
    await opened.stop()
    assert said == [f"Starting {local_model.NAME} on this machine"] * len(said)


async def ask(model: LocalModel, key: str | None = None) -> int:
    server = await model.running()
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 2}
    headers = {"Authorization": f"Bearer {server.api_key if key is None else key}"}
    url = f"{server.base_url}/chat/completions"
    async with aiohttp.ClientSession(headers=headers) as session, session.post(url, json=body) as response:
        return response.status


async def test_it_starts_on_first_use_answers_only_its_owner_and_stops(model: LocalModel) -> None:
    assert await ask(model) == 200
    assert await ask(model, "another") == 401
    server = await model.running()
    assert server.base_url.startswith("http://127.0.0.1:")
    assert server.api_key not in repr(server)
    first = server.pid
    await asyncio.gather(*(model.running() for _ in range(3)))
    assert (await model.running()).pid == first
    await model.stop()
    assert not server.is_running


async def test_a_dead_server_is_started_again(model: LocalModel) -> None:
    first = await model.running()
    os.kill(first.pid, signal.SIGKILL)
    while first.is_running:  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.01)
    assert await ask(model) == 200
    assert (await model.running()).pid != first.pid


async def test_it_answers_through_the_gateway_for_nothing(model: LocalModel, database: Database) -> None:
    async with open_bench(database, "http://127.0.0.1:1", cap=0, price=model.price, seconds_per_try=60) as bench:
        router = Router(database, SecretBox("s" * 40), model, environment={})
        route = local_route(bench, router)
        answered = await Bench(bench.gateway, bench.money, route).complete(
            {
                "model": local_model.SLUG,
                "messages": [{"role": "user", "content": "What is 7 + 5?"}],
                "temperature": 0,
                "max_tokens": 24,
            }
        )
        assert "12" in answered.text
        assert answered.charge_microusd == 0
        assert answered.model_served == local_model.SLUG
        assert answered.usage != Usage()
        assert (await bench.run()).flags == []
        assert (await bench.call()).call.usage_source == "reported"
        await bench.assert_sound()


def local_route(bench: Bench, router: Router) -> RunRoute:
    plan = Plan(
        benchmark=PlannedBenchmark(id="bench_1", slug="test", version="1", name="Test", content_digest="0"),
        model=PlannedModel(
            id=BUILT_IN_ID,
            provider=local_model.PROVIDER,
            slug=local_model.SLUG,
            name=local_model.NAME,
            upstream_name=local_model.SLUG,
            route=f"local:{local_model.SLUG}",
            price=bench.route.price,
        ),
        coverage=Coverage(mode="full", sample_count=None, seed=None, benchmark_task_count=1),
        repeats=1,
        output_token_limit=100,
        calls=(PlannedCall(item_id="item_1", input_tokens=1, output_tokens=1, worst_case_microusd=0),),
        concurrency=Concurrency(requested=None, admitted=1, reason="auto"),
        lost_tries=1,
        lost_tries_microusd=0,
        maximum_charge_microusd=0,
    )
    return router.route(bench.route.run_id, plan)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_it_ends_with_its_owner(how: signal.Signals) -> None:
    owner = await asyncio.create_subprocess_exec(
        sys.executable, str(OWNER), str(weights()), stdout=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None
    pid = int(await owner.stdout.readline())
    os.kill(pid, 0)
    owner.send_signal(how)
    await owner.wait()
    deadline = time.monotonic() + 5
    while is_alive(pid):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def is_alive(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def test_weights_that_are_no_model_are_an_error_that_says_so(tmp_path: Path) -> None:
    weights()
    file = tmp_path / "not-a-model.gguf"
    file.write_bytes(b"nonsense")
    with pytest.raises(Problem, match="cannot be started: its process ended") as failed:
        await LocalModel(FileCache(tmp_path), weights=lambda _: file).running()
    assert failed.value.code == "model_unavailable"


async def test_weights_that_cannot_be_had_are_an_error_that_says_so(tmp_path: Path) -> None:
    weights()

    def fail(progress: Progress) -> Path:
        raise FetchError("no network")

    with pytest.raises(Problem, match="no network"):
        await LocalModel(FileCache(tmp_path), weights=fail).running()


async def test_without_the_extra_it_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    model = LocalModel(FileCache(tmp_path))
    assert "from the checkout" in (model.unavailable_reason() or "")
    with pytest.raises(Problem, match="extra `model`"):
        await model.running()


def test_a_processor_without_avx2_is_told(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nflags\t\t: fpu sse4_2 avx\n")
    assert "AVX2" in (unsupported_reason(info) or "AVX2 is not needed on this machine")
    info.write_text("processor : 0\nflags\t\t: fpu avx avx2\n")
    assert unsupported_reason(info) is None
    assert unsupported_reason(tmp_path / "none") is None
