"""Private files: only their owner may read them, and they are replaced whole or not at all."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from evalrouter.langsmith.errors import CheckpointError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes."""


def make_folder(path: Path) -> None:
    """Makes the folder of a file, for its owner only where it is new."""
    path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def read_private(path: Path) -> bytes | None:
    """A private file's bytes; None where there is none.

    Raises:
        CheckpointError: Others may read or write it, it is not the user's own, no plain file, or too large.
        OSError: It cannot be read.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        if path.is_symlink():
            raise CheckpointError(f"{path} is a link: name the file itself, which must be private.") from None
        raise error from None
    try:
        _check(path, os.fstat(handle))
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def replace_private(path: Path, content: bytes) -> None:
    """Writes a private file: after a crash at any moment it holds either all that it held before or all of this.

    Raises:
        OSError: It could not be written; what was there is there.
    """
    new = path.with_name(f"{path.name}.new")
    with suppress(FileNotFoundError):
        new.unlink()
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        with suppress(OSError):
            new.unlink()
        raise
    sync_folder(path)


def remove_private(path: Path) -> None:
    """Removes a file, if it is there, for good."""
    with suppress(FileNotFoundError):
        path.unlink()
        sync_folder(path)


def sync_folder(path: Path) -> None:
    """Makes the name of a file in its folder as lasting as its content."""
    handle = os.open(path.parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise CheckpointError(f"{path} is no plain file: name another one with --state.")
    if found.st_mode & 0o077:
        raise CheckpointError(
            f"{path} may be read or written by others (mode {stat.S_IMODE(found.st_mode):o}): make it private with "
            f"chmod 600 {path}."
        )
    if found.st_uid != os.geteuid():
        raise CheckpointError(f"{path} belongs to another user: run as that user, or name another file with --state.")
    if found.st_size > LARGEST_FILE:
        raise CheckpointError(f"{path} has {found.st_size:,} bytes, more than any checkpoint: name another --state.")
