"""`python -m evalrouter_server fetch`: have benchmarks' data at hand ahead, or for machines without a network."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from platformdirs import user_data_path

from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.sources import load_items
from evalrouter_server.problems import Problem


def embedded_cache_dir() -> Path:
    """Where the embedded server of this user keeps fetched data."""
    return Path(os.environ.get("EVALROUTER_DATA_DIR") or user_data_path("evalrouter")) / "cache"


def named(names: Sequence[str]) -> list[Manifest]:
    """The shipped versions that names mean; every version where there is no name.

    Raises:
        ValueError: A name means none, or several.
    """
    benchmarks = Benchmarks.shipped()
    if not names:
        return benchmarks.native()
    found = []
    for name in names:
        matches = [found for found in benchmarks.match(name) if isinstance(found, Manifest)]
        if len(matches) != 1:
            raise ValueError(f"There is no benchmark {name!r} in the catalog; `evalrouter benchmarks list` shows them.")
        found += matches
    return found


def fetch(manifests: Sequence[Manifest], folder: Path, tell: Callable[[str], None]) -> list[Manifest]:
    """Fetch and verify benchmarks' data, each file under its sha256, so that the folder serves as a mirror too.

    Args:
        manifests: The versions.
        folder: Where the files are kept.
        tell: Takes one line for each version, and one before a download starts.

    Returns:
        The versions whose data could not be had.
    """
    failed = []
    for manifest in manifests:
        try:
            items = load_items(manifest, folder, progress=tell)
        except Problem as problem:
            failed.append(manifest)
            tell(f"{manifest.reference}: {problem.message}")
        else:
            tell(f"{manifest.reference}: {len(items):,} tasks, verified")
    return failed
