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

    A mirror is a folder with the same bytes for machines without a network: each file is named by its sha256. It is
    looked at before anything is fetched.

    Args:
        folder: Where the files are kept; made when needed.
        mirror: The mirror; None takes the folder that the environment variable EVALROUTER_MIRROR names, if any.
    """

    def __init__(self, folder: Path, mirror: Path | None = None) -> None:
        named = os.environ.get("EVALROUTER_MIRROR")
        self._folder = folder
        self._mirror = mirror or (Path(named) if named else None)

    def get(self, sha256: str, fetch: Callable[[Path], None], *, suffix: str = "") -> Path:
        """The file with this digest, fetched when it is not there yet.

        Args:
            sha256: The digest, in lowercase hexadecimal.
            fetch: Writes the file to the path that it is given; called at most once at a time over all processes.
            suffix: What the cached file's name ends with, such as `.gguf`.

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
                if not self._copy_from_mirror(sha256, fresh):
                    fetch(fresh)
                verify(fresh, sha256)
                fresh.replace(path)
        return path

    def holds(self, sha256: str) -> bool:
        """Whether the file, verified or not, is in the cache or the mirror, so that nothing needs to be fetched."""
        mirrored = self._mirror is not None and (self._mirror / sha256).is_file()
        return mirrored or any(path.suffix != ".lock" for path in self._folder.glob(f"{sha256}*"))

    def _copy_from_mirror(self, sha256: str, destination: Path) -> bool:
        if self._mirror is None or not (self._mirror / sha256).is_file():
            return False
        shutil.copyfile(self._mirror / sha256, destination)
        return True


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
