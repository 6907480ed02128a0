"""A benchmark's items are kept in the database, SQLite and PostgreSQL alike, and come back as they were."""

import hashlib
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from evalrouter_server.clock import utc_now
from evalrouter_server.ids import new_id
from evalrouter_server.ledger.bootstrap import make_workspace
from evalrouter_server.own_benchmarks import creation
from evalrouter_server.own_benchmarks.creation import Made, prepare_benchmark
from evalrouter_server.problems import Problem
from evalrouter_server.services import Services
from evalrouter_server.settings import Settings
from evalrouter_server.store import own_benchmarks, uploads
from evalrouter_server.store.tables import own_item_chunks
from evalrouter_server.store.uploads import UploadRow
from sqlalchemy import func, select

COUNT = 2500
PART_BYTES = 1000
MANIFEST: dict[str, Any] = {
    "slug": "my-bench",
    "source": {"kind": "file", "path": "rows.jsonl"},
    "rows": {"inputs": {"question": "q"}, "target": "a", "group": "g"},
    "protocol": {"user": "{question}"},
    "grader": {"kind": "exact"},
}


async def upload(services: Services, workspace_id: str, data: bytes) -> str:
    row = UploadRow(new_id("upload"), workspace_id, hashlib.sha256(data).hexdigest(), len(data), PART_BYTES, utc_now())
    await services.database.write(lambda conn: uploads.begin(conn, row))
    for number in range(row.part_count):
        part = data[number * PART_BYTES : (number + 1) * PART_BYTES]
        await services.database.write(lambda conn, n=number, p=part: uploads.put_part(conn, row.id, n, p))  # type: ignore[misc]
    return row.id


async def create(services: Services, workspace_id: str, upload_id: str, **changes: Any) -> Made:
    make = await prepare_benchmark(services, workspace_id, {**MANIFEST, **changes}, upload_id)
    return await services.database.write(make)


async def test_items_come_back_as_they_were(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"q": f"{{q}} {number} \U0001f600", "a": f"Ä{number}", "g": f"g{number % 7}"} for number in range(COUNT)]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    monkeypatch.setattr(creation, "CHUNK_ITEMS", 100)
    async with Services.running(Settings(data_dir=tmp_path, database=database_url, embedded=True)) as services:
        workspace_id = new_id("ws")
        await services.database.write(lambda conn: make_workspace(conn, workspace_id, "own"))
        upload_id = await upload(services, workspace_id, data)
        made = await create(services, workspace_id, upload_id)
        again = await create(services, workspace_id, upload_id)
        assert (made.is_new, again.is_new, again.manifest) == (True, False, made.manifest)

        manifest = await services.benchmarks.load(made.manifest.id)
        assert manifest == made.manifest
        items = await services.items.load(made.manifest)
        assert [(item.index, item.inputs["question"], item.target["answer"], item.group) for item in items] == [
            (index, row["q"], row["a"], row["g"]) for index, row in enumerate(rows)
        ]
        stored = select(func.count()).select_from(own_item_chunks)
        assert await services.database.read(lambda conn: conn.scalar(stored)) == COUNT / 100


async def test_two_creates_at_once_make_one_version(database_url: str, tmp_path: Path) -> None:
    data = b'{"q": "a", "a": "b", "g": "c"}\n'
    async with Services.running(Settings(data_dir=tmp_path, database=database_url, embedded=True)) as services:
        workspace_id = new_id("ws")
        await services.database.write(lambda conn: make_workspace(conn, workspace_id, "own"))
        upload_id = await upload(services, workspace_id, data)
        first = await prepare_benchmark(services, workspace_id, MANIFEST, upload_id)
        second = await prepare_benchmark(services, workspace_id, MANIFEST, upload_id)
        other = await prepare_benchmark(services, workspace_id, {**MANIFEST, "version": 1, "attempts": 2}, upload_id)
        made = [await services.database.write(make) for make in (first, second)]
        assert [each.is_new for each in made] == [True, False]
        assert made[0].manifest.id == made[1].manifest.id
        with pytest.raises(Problem, match="next version is 2"):
            await services.database.write(other)


async def test_what_is_old_is_forgotten(database_url: str, tmp_path: Path) -> None:
    async with Services.running(Settings(data_dir=tmp_path, database=database_url, embedded=True)) as services:
        database, workspace_id = services.database, new_id("ws")
        await database.write(lambda conn: make_workspace(conn, workspace_id, "own"))
        upload_id = await upload(services, workspace_id, b'{"q": "a", "a": "b", "g": "c"}\n')
        made = await create(services, workspace_id, upload_id)
        lost = new_id("bench")
        await database.write(lambda conn: own_benchmarks.put_chunk(conn, lost, 0, b"x", utc_now()))
        later = utc_now() + timedelta(days=1, minutes=1)
        for now, kept in ((utc_now(), True), (later, False)):
            await database.write(lambda conn, now=now: uploads.purge(conn, now))  # type: ignore[misc]
            await database.write(lambda conn, now=now: own_benchmarks.purge(conn, now))  # type: ignore[misc]
            found = await database.read(lambda conn: uploads.get(conn, workspace_id, upload_id))
            chunk = await database.read(lambda conn: own_benchmarks.read_chunk(conn, lost, 0))
            assert (found is not None, chunk is not None) == (kept, kept)
        assert len(await services.items.load(made.manifest)) == 1
