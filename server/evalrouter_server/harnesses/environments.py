"""The harnesses' environments: made on demand from a lock with hashes, kept in the cache, never part of our own.

The folder's name holds the digest of the lock and the version of Python, so that another version of either is another
environment. A folder without its mark was interrupted while it was made, and is made again.
"""

import hashlib
import os
import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import Literal

from filelock import FileLock

from evalrouter_server.catalog.artifacts import find_uv, run_installer
from evalrouter_server.catalog.cache import FetchError, Progress, silent

type HarnessName = Literal["inspect", "lm-eval"]

SIZES_MB = {"inspect": 260, "lm-eval": 570}
"""About what each takes on disk."""

_MARK = "complete"


def requirements_of(harness: HarnessName) -> str:
    """The harness's lock: every package with its exact version and hashes."""
    return (resources.files("evalrouter_server.harnesses") / "requirements" / f"{harness}.txt").read_text("utf-8")


def version_of(harness: HarnessName) -> str:
    """The version of the package that has the harness's tasks, as locked."""
    package = {"inspect": "inspect-evals", "lm-eval": "lm-eval"}[harness]
    for line in requirements_of(harness).splitlines():
        name, separator, rest = line.partition("==")
        if separator and name.partition("[")[0] == package:
            return rest.split()[0]
    raise LookupError(f"the lock of {harness} does not have {package}")


def folder_of(cache_dir: Path, harness: HarnessName) -> Path:
    """The folder of the harness's environment.

    Args:
        cache_dir: The product's cache.
        harness: The harness.
    """
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(f"{python}\n{requirements_of(harness)}".encode()).hexdigest()[:16]
    return cache_dir / "harnesses" / f"{harness}-{digest}"


def is_ready(cache_dir: Path, harness: HarnessName) -> bool:
    """Whether the environment is there."""
    return (folder_of(cache_dir, harness) / _MARK).is_file()


def provide(cache_dir: Path, harness: HarnessName, progress: Progress = silent) -> Path:
    """The Python interpreter of the harness's environment, which is made where it is not there.

    Args:
        cache_dir: The product's cache.
        harness: The harness.
        progress: Told before it is made.

    Returns:
        The interpreter's path.

    Raises:
        FetchError: It could not be made.
    """
    folder = folder_of(cache_dir, harness)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not is_ready(cache_dir, harness):
            _make(folder, harness, progress)
    return _python(folder)


def _make(folder: Path, harness: HarnessName, progress: Progress) -> None:
    progress(
        f"Making an environment for {harness} {version_of(harness)} ({SIZES_MB[harness]} MB) from the package index;"
        " this is done once"
    )
    shutil.rmtree(folder, ignore_errors=True)
    lock = folder / "requirements.txt"
    try:
        if (uv := find_uv()) is not None:
            run_installer([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
            lock.write_text(requirements_of(harness))
            place = ["--python", str(_python(folder)), "--require-hashes"]
            run_installer([uv, "pip", "install", "--quiet", *place, "-r", str(lock)])
        else:
            run_installer([sys.executable, "-m", "venv", str(folder)])
            lock.write_text(requirements_of(harness))
            options = ["--quiet", "--no-input", "--require-hashes", "--disable-pip-version-check"]
            run_installer([str(_python(folder)), "-m", "pip", "install", *options, "-r", str(lock)])
    except (FetchError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise FetchError(f"the environment of {harness} could not be made: {error}") from error
    (folder / _MARK).touch()
    progress(f"The environment of {harness} is ready")


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
