"""Runs of another harness through the whole service, with a double of the harness: money, cancel, resume, results."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.catalog import benchmarks
from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.manifest import Limits
from evalrouter_server.catalog.sources import content_digest
from evalrouter_server.embedded import EmbeddedServer
from evalrouter_server.harnesses.adopting import adopt
from evalrouter_server.harnesses.listing import Harnesses, check_calls, items_of
from evalrouter_server.problems import Problem

from tests.e2e.provider import Provider, prompt_of
from tests.harnesses.test_process import lives
from tests.upstreams.scripted import answer

COUNT = 40
SAMPLES = [
    {
        "id": ["double", number],
        "group": "double",
        "calls": 1,
        "messages": [{"role": "user", "content": f"Question {number}"}],
        "max_tokens": 32,
        "target": str(number),
    }
    for number in range(COUNT)
]


def manifest() -> HarnessManifest:
    made = HarnessManifest(
        runner="lm-eval",
        task="double",
        version="1.0",
        name="Double",
        description="A double.",
        licence="MIT",
        citation="None.",
        item_count=COUNT,
        content_digest="0" * 64,
        limits=Limits(max_output_tokens=32, task_seconds=60),
    )
    return made.model_copy(update={"content_digest": content_digest(items_of(made, SAMPLES))})


class Service:
    """A running service whose lm-eval is the double."""

    def __init__(self, data_dir: Path, provider: Provider) -> None:
        self.server = EmbeddedServer(data_dir)
        endpoint = self.server.start()
        headers = {"Authorization": f"Bearer {endpoint.api_key}"}
        self.client = httpx.Client(base_url=endpoint.base_url, headers=headers, timeout=30, trust_env=False)
        connection = self.client.post(
            "/v1/connections",
            json={
                "name": f"double-{time.monotonic_ns()}",
                "kind": "model",
                "base_url": provider.base_url,
                "upstream_model": "double-1",
                "pricing": {"type": "per_token", "input_usd_per_mtok": "1", "output_usd_per_mtok": "1"},
            },
        )
        self.model_id = connection.json()["model_id"]

    def start(self, **more: Any) -> dict[str, Any]:
        body = {"benchmark_id": manifest().id, "model_id": self.model_id, "coverage": {"mode": "full"}, **more}
        created = self.client.post("/v1/runs", json={"source": "spec", "spec": body})
        assert created.status_code == 201, created.text
        run: dict[str, Any] = created.json()
        return run

    def run(self, run_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/v1/runs/{run_id}").json()
        return found

    def wait(self, run_id: str) -> dict[str, Any]:
        with self.client.stream("GET", f"/v1/runs/{run_id}/events/stream", timeout=60) as stream:
            stream.read()
        return self.run(run_id)

    def all(self, run_id: str, what: str) -> list[dict[str, Any]]:
        page = self.client.get(f"/v1/runs/{run_id}/{what}", params={"limit": 200}).json()
        rows: list[dict[str, Any]] = page["items"]
        return rows

    def close(self) -> None:
        assert self.client.get("/v1/wallet/verification").json()["ok"] is True
        self.client.close()
        self.server.stop()


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    async def python(self: Harnesses, manifest: HarnessManifest) -> Path:
        return Path(sys.executable)

    async def listed(self: Harnesses, manifest: HarnessManifest) -> list[dict[str, Any]]:
        self.working_folder(manifest).mkdir(parents=True, exist_ok=True)
        return SAMPLES

    monkeypatch.setattr(benchmarks, "_harness_tasks", lambda: (manifest(),))
    monkeypatch.setattr(Harnesses, "python", python)
    monkeypatch.setattr(Harnesses, "listed", listed)
    monkeypatch.setattr(Harnesses, "variables", lambda *_: {"PYTHONPATH": str(Path(__file__).parent / "fake")})
    return tmp_path / "data"


@pytest.fixture
def provider() -> Iterator[Provider]:
    async def handle(request: Any, body: dict[str, Any]) -> Any:
        number = prompt_of(body).removeprefix("Question ")
        return await answer(number if int(number) % 2 == 0 else "wrong")(request, body)

    with Provider(handle) as double:
        yield double


@pytest.fixture
def service(data_dir: Path, provider: Provider) -> Iterator[Service]:
    opened = Service(data_dir, provider)
    try:
        yield opened
    finally:
        opened.close()


def harness_pids() -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"lm_eval" in command and lives(int(folder.name)):
            found.append(int(folder.name))
    return found


def test_its_verdicts_calls_and_charges_are_the_tasks_own(service: Service, provider: Provider) -> None:
    run = service.wait(service.start()["id"])
    assert (run["status"], run["score"], run["coverage"]["graded"]) == ("completed", 0.5, COUNT), run["status_reason"]
    results = service.all(run["id"], "results")
    assert [row["inputs"]["messages"][0]["content"] for row in results] == [f"Question {n}" for n in range(COUNT)]
    assert [row["correct"] for row in results] == [n % 2 == 0 for n in range(COUNT)]
    assert {row["rule"] for row in results} == {"strict"}
    calls = service.all(run["id"], "calls")
    assert sorted(call["task_id"] for call in calls) == sorted(row["task_id"] for row in results)
    assert sum(row["charge_microusd"] for row in results) == run["charge_microusd"] > 0
    assert {request.body["max_tokens"] for request in provider.requests} == {32}
    assert run["flags"] == []


def test_repeats_are_asked_again(service: Service, provider: Provider) -> None:
    coverage = {"mode": "sample", "sample_count": 3, "seed": 1}
    run = service.wait(service.start(repeats=2, coverage=coverage)["id"])
    assert (run["status"], run["coverage"]["graded"], set(provider.asked.values())) == ("completed", 6, {2})


def test_an_exhausted_cap_ends_it_partial_and_what_was_answered_is_graded(service: Service, provider: Provider) -> None:
    key = service.client.get("/v1/whoami").json()["key_id"]
    service.client.patch(f"/v1/keys/{key}", json={"ceiling_microusd": 400})
    run = service.wait(service.start(concurrency=2)["id"])
    assert run["status"] == "partial"
    assert run["status_reason"].startswith("budget_exhausted")
    assert 0 < run["coverage"]["graded"] < COUNT
    assert run["coverage"]["failed"] == 0
    assert run["charge_microusd"] <= run["cap_microusd"] == 400
    assert len(service.all(run["id"], "calls")) == run["coverage"]["graded"] == len(provider.requests)


def test_a_refused_call_fails_its_own_task_only(service: Service, provider: Provider) -> None:
    fine = provider.handler

    async def handle(request: Any, body: dict[str, Any]) -> Any:
        from tests.upstreams.scripted import refuse

        if prompt_of(body) == "Question 7":
            return await refuse(400, message="not this one", type="invalid_request_error")(request, body)
        assert fine is not None
        return await fine(request, body)

    provider.handler = handle
    run = service.wait(service.start()["id"])
    assert (run["status"], run["coverage"]["graded"], run["coverage"]["failed"]) == ("partial", COUNT - 1, 1)
    assert set(provider.asked.values()) == {1}


def test_cancelling_ends_its_process_and_no_call_starts(service: Service, provider: Provider) -> None:
    provider.delay_seconds = 0.5
    run_id = service.start(concurrency=2)["id"]
    while len(provider.requests) < 3:
        time.sleep(0.02)
    assert harness_pids() != []
    assert service.client.post(f"/v1/runs/{run_id}/cancel").status_code == 200
    asked = time.monotonic()
    run = service.wait(run_id)
    assert (run["status"], time.monotonic() - asked < 10) == ("cancelled", True)
    assert harness_pids() == []
    assert len(service.all(run_id, "calls")) == len(provider.requests) < COUNT


def test_what_was_answered_before_a_stop_is_not_asked_again(data_dir: Path, provider: Provider) -> None:
    provider.delay_seconds = 0.2
    service = Service(data_dir, provider)
    run_id = service.start(concurrency=2)["id"]
    while len(provider.requests) < 6:
        time.sleep(0.02)
    service.close()
    assert harness_pids() == []
    provider.delay_seconds = 0.0
    service = Service(data_dir, provider)
    try:
        assert service.run(run_id)["status"] == "paused"
        assert service.client.post(f"/v1/runs/{run_id}/resume").status_code == 200
        run = service.wait(run_id)
        assert (run["status"], run["coverage"]["graded"]) == ("completed", COUNT)
        assert set(provider.asked.values()) == {1}
        assert sum(row["charge_microusd"] for row in service.all(run_id, "results")) == run["charge_microusd"]
    finally:
        service.close()


def test_a_harness_that_cannot_start_fails_its_tasks_and_says_why(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Harnesses, "variables", lambda *_: {"PYTHONPATH": "/nowhere"})
    run = service.wait(service.start()["id"])
    assert (run["status"], run["coverage"]["failed"], run["charge_microusd"]) == ("failed", COUNT, 0)
    assert "No module named lm_eval" in run["status_reason"]
    assert json.dumps(run).count("er_gw_") == 0


async def test_a_task_that_was_taken_up_is_found_without_a_restart(service: Service, data_dir: Path) -> None:
    name = "lm-eval/another"
    assert service.client.get("/v1/benchmarks", params={"match": name}).json()["items"] == []
    taken = await adopt(Harnesses(data_dir / "cache"), name, data_dir / "harness-tasks")
    assert (taken.known, taken.item_count, taken.limits.max_output_tokens) == (False, COUNT, 32)
    (found,) = service.client.get("/v1/benchmarks", params={"match": name}).json()["items"]
    assert (found["id"], found["task_count"], found["grader"]) == (taken.id, COUNT, "lm-eval")
    assert service.client.get(f"/v1/benchmarks/{taken.id}").json() == found


def test_a_task_of_several_calls_a_sample_is_refused() -> None:
    with pytest.raises(Problem, match="do not make exactly one call"):
        check_calls("lm-eval/double@1.0", [*SAMPLES, SAMPLES[0] | {"calls": 3}])
