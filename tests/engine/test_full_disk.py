"""A disk that fills up in mid-run: the run pauses once there is room again, and can go on."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from evalrouter_server.app import create_app
from evalrouter_server.credentials import embedded_owner
from evalrouter_server.engine import transitions
from evalrouter_server.services import Services
from evalrouter_server.settings import Settings
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from tests.server.conftest import Upstream, upstream

__all__ = ["upstream"]


def limit_pages(spare: int) -> Callable[[Connection], None]:
    """Let the database's file grow by so many pages: SQLite then fails as on a full disk."""

    def limit(connection: Connection) -> None:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + spare}")

    return limit


async def ended(client: httpx.AsyncClient, run_id: str) -> dict[str, Any]:
    while True:
        run: dict[str, Any] = (await client.get(f"/v1/runs/{run_id}")).json()
        if run["status"] not in ("queued", "running"):
            return run
        await asyncio.sleep(0.05)


async def test_a_full_disk_pauses_the_run(
    tmp_path: Path, upstream: Upstream, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("evalrouter_server.engine.engine.SECONDS_BETWEEN_PAUSES", 0.05)
    upstream.answer = "4 " * 2000
    full, room = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def pause(*arguments: Any) -> int | None:
        if not room.is_set():  # what fits on a nearly full disk is a matter of chance
            loop.call_soon_threadsafe(full.set)
            raise OperationalError("", None, sqlite3.OperationalError("database or disk is full"))
        return recorded(*arguments)

    recorded = transitions.pause
    monkeypatch.setattr(transitions, "pause", pause)
    async with Services.running(Settings(data_dir=tmp_path, embedded=True)) as services:
        owner = await embedded_owner(services)
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(create_app(services)),
            base_url="http://test",
            headers={"Authorization": f"Bearer {owner.secret}"},
        ) as client:
            connection = {
                "name": "double",
                "kind": "model",
                "base_url": upstream.base_url,
                "upstream_model": "double-1",
                "pricing": {"type": "per_token", "input_usd_per_mtok": "1", "output_usd_per_mtok": "1"},
            }
            model = (await client.post("/v1/connections", json=connection)).json()["model_id"]
            benchmark = (await client.get("/v1/benchmarks", params={"match": "first-steps"})).json()["items"][0]["id"]
            spec = {"benchmark_id": benchmark, "model_id": model, "concurrency": 2}
            upstream.gate.clear()
            run = (await client.post("/v1/runs", json={"source": "spec", "spec": spec})).json()
            await services.database.write(limit_pages(8))
            upstream.gate.set()
            async with asyncio.timeout(20):
                await full.wait()
                assert (await client.get(f"/v1/runs/{run['id']}")).json()["status"] == "running"
                await services.database.write(limit_pages(100_000))
                room.set()
                paused = await ended(client, run["id"])
            assert paused["status"] == "paused"
            assert "database or disk is full" in caplog.text
            assert "cannot be paused yet" in caplog.text
            await client.post(f"/v1/runs/{run['id']}/resume")
            async with asyncio.timeout(60):
                completed = await ended(client, run["id"])
            assert completed["status"] == "completed"
            assert completed["coverage"]["graded"] == 120
            assert (await client.get("/v1/wallet/verification")).json()["ok"] is True
