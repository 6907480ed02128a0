"""A cache of files named by their sha256: what is in it is verified, whole, and the same for every process."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

type Progress = Callable[[str], None]
"""Takes one line about what is going on, for people."""


class FetchError(Exception):
    """A file could not be had, or is not the one that was asked for."""


def silent(message: str) -> None:
    """The progress of a caller that does not want any."""


class FileCache:
    """Files by digest in one folder.

    A mirror is a folder with the same bytes for machines without a network. It is looked at before anything is fetched.
    In it a file is named by its sha256, with or without an ending, so that the folder of another cache is a mirror too;
    or it lies at its address: at `host/path` for a file of the web, under its own name for a wheel.

    Args:
        folder: Where the files are kept; made when needed.
        mirror: The mirror; None takes the folder that the environment variable EVALROUTER_MIRROR names, if any.
    """

    def __init__(self, folder: Path, mirror: Path | None = None) -> None:
        named = os.environ.get("EVALROUTER_MIRROR")
        self._folder = folder
        self._mirror = mirror or (Path(named) if named else None)

    @property
    def folder(self) -> Path:
        """Where the files are kept."""
        return self._folder

    def get(self, sha256: str, fetch: Callable[[Path], None], *, suffix: str = "", address: str | None = None) -> Path:
        """The file with this digest, fetched when it is not there yet.

        Args:
            sha256: The digest, in lowercase hexadecimal.
            fetch: Writes the file to the path that it is given; called at most once at a time over all processes.
            suffix: What the cached file's name ends with, such as `.gguf`.
            address: The file's `host/path`, at which a mirror may have it.

        Returns:
            The path of the verified file.

        Raises:
            FetchError: The file could not be fetched, or has another digest.
        """
        path = self._folder / f"{sha256}{suffix}"
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / f"{sha256}.lock"):
            if path.is_file() and file_sha256(path) == sha256:
                return path
            with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
                fresh = Path(scratch) / "file"
                mirrored = self._mirrored(sha256, address)
                if mirrored is None:
                    fetch(fresh)
                else:
                    shutil.copyfile(mirrored, fresh)
                verify(fresh, sha256)
                fresh.replace(path)
        return path

    def holds(self, sha256: str, address: str | None = None) -> bool:
        """Whether the file, verified or not, is in the cache or the mirror, so that nothing needs to be fetched."""
        return _named(self._folder, sha256) is not None or self._mirrored(sha256, address) is not None

    def mirrored_wheel(self, package: str, version: str) -> Path | None:
        """The wheel, verified or not, that the mirror has under its own name; None where it has none."""
        if self._mirror is None:
            return None
        return next(iter(sorted(self._mirror.glob(f"{package.replace('-', '_')}-{version}-*.whl"))), None)

    def _mirrored(self, sha256: str, address: str | None) -> Path | None:
        if self._mirror is None:
            return None
        if address is not None and (self._mirror / address).is_file():
            return self._mirror / address
        return _named(self._mirror, sha256)


def _named(folder: Path, sha256: str) -> Path | None:
    return next((path for path in sorted(folder.glob(f"{sha256}*")) if path.suffix != ".lock"), None)


def file_sha256(path: Path) -> str:
    """The sha256 of a file, in lowercase hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: Path, sha256: str) -> None:
    """Check a file's digest.

    Raises:
        FetchError: It has another one.
    """
    actual = file_sha256(path)
    if actual != sha256:
        raise FetchError(f"the file has sha256 {actual}, expected {sha256}")
