"""A mirror of the real data that is at hand: the shared folder's files, and wheels of a folder that is named."""

import os
from pathlib import Path

from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.origins import PackageSource, Source, WheelSource

from tests.shared_data import SHARED

WHEELS = os.environ.get("EVALROUTER_TEST_WHEELS")
"""A folder with the wheels that carry data, so that a soak need not fetch them."""


def make_mirror(folder: Path) -> Path:
    """A mirror with links to the shared files, named by their sha256 as `SOURCES.txt` gives it, and to the wheels.

    Args:
        folder: Where it is made.
    """
    folder.mkdir()
    if SHARED is not None:
        for line in (SHARED / "data" / "SOURCES.txt").read_text().splitlines():
            place, *rest = line.split()
            if "@" in place and len(rest) == 3 and not (folder / rest[0]).exists():
                (folder / rest[0]).symlink_to((SHARED / rest[2]).resolve())
    for wheel in Path(WHEELS).glob("*.whl") if WHEELS else ():
        (folder / wheel.name).symlink_to(wheel.resolve())
    return folder


def is_at_hand(mirror: Path, manifest: Manifest) -> bool:
    """Whether a mirror has a benchmark's data, so that nothing need be fetched."""
    parts = [manifest.sources, *([manifest.examples.sources] if manifest.examples else [])]
    return all(any(_has(mirror, source) for source in sources) for sources in parts)


def _has(mirror: Path, source: Source) -> bool:
    if isinstance(source, WheelSource):
        return any(mirror.glob(f"{source.package.replace('-', '_')}-{source.version}-*.whl"))
    return isinstance(source, PackageSource) or all((mirror / file.sha256).exists() for file in source.files)
