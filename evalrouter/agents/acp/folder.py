"""Files in one folder and nowhere else: no `..`, no symbolic link, whatever is changed there at the same time.

Each part of a path is opened from the folder before it and never through a link, so that what was looked at is what is
used.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

FILE_BYTES = 16 * 1024 * 1024
"""The largest file that is read or written."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class OutsideFolderError(ValueError):
    """A path is not in the folder, or what is there is not what a file or folder of its own may be."""


class Folder:
    """A folder that paths of somebody else are confined to.

    Args:
        path: The folder; it must exist.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._names = {PurePosixPath(path.absolute()), PurePosixPath(path.resolve())}
        self.descriptor = os.open(path.resolve(), _FOLDER)

    def close(self) -> None:
        """Closes the folder's descriptor."""
        os.close(self.descriptor)

    def parts(self, path: str) -> tuple[str, ...]:
        """The parts of a path below the folder.

        Args:
            path: An absolute path, or one that starts at the folder.

        Raises:
            OutsideFolderError: It leads out of the folder, as far as its letters tell.
        """
        pure = PurePosixPath(path)
        if "\0" in path or ".." in pure.parts:
            raise OutsideFolderError(f"{path[:200]!r} is not a path in the working folder")
        if not pure.is_absolute():
            return pure.parts
        for name in self._names:
            if pure.is_relative_to(name):
                return pure.relative_to(name).parts
        raise OutsideFolderError(f"{path[:200]!r} is outside the working folder")

    def holds(self, path: str) -> bool:
        """Whether a path leads into the folder, links followed as they are now; for a decision, not for an access.

        Args:
            path: An absolute path, or one that starts at the folder.
        """
        try:
            parts = self.parts(path)
        except OutsideFolderError:
            return False
        root = next(iter(self._names))
        real = Path(os.path.realpath(Path(root, *parts)))
        return any(real.is_relative_to(name) for name in self._names)

    def read(self, path: str) -> bytes:
        """A file's content.

        Args:
            path: The file.

        Raises:
            OutsideFolderError: It is not a file of the folder, or too large.
            OSError: It cannot be read.
        """
        with self._parent(path, create=False) as (parent, name):
            descriptor = self._open(name, os.O_RDONLY, parent)
        with os.fdopen(descriptor, "rb") as file:
            if os.fstat(descriptor).st_size > FILE_BYTES:
                raise OutsideFolderError(f"{path[:200]!r} is larger than {FILE_BYTES} bytes")
            return file.read(FILE_BYTES)

    def write(self, path: str, content: bytes) -> None:
        """Writes a file, and the folders that lead to it.

        Args:
            path: The file.
            content: Its new content.

        Raises:
            OutsideFolderError: It is not a file of the folder, or the content is too large.
            OSError: It cannot be written.
        """
        if len(content) > FILE_BYTES:
            raise OutsideFolderError(f"the content for {path[:200]!r} is larger than {FILE_BYTES} bytes")
        with self._parent(path, create=True) as (parent, name):
            descriptor = self._open(name, os.O_WRONLY | os.O_CREAT, parent)
        with os.fdopen(descriptor, "wb") as file:
            file.truncate(0)
            file.write(content)

    def open_folder(self, path: str) -> int:
        """A descriptor of a folder in this one, or of this one; close it.

        Args:
            path: The folder.

        Raises:
            OutsideFolderError: It is not a folder of this one.
            OSError: It cannot be opened.
        """
        return self._walk(self.parts(path), create=False)

    @contextmanager
    def _parent(self, path: str, *, create: bool) -> Iterator[tuple[int, str]]:
        parts = self.parts(path)
        if not parts:
            raise OutsideFolderError(f"{path[:200]!r} is a folder")
        parent = self._walk(parts[:-1], create=create)
        try:
            yield parent, parts[-1]
        finally:
            os.close(parent)

    def _walk(self, parts: tuple[str, ...], *, create: bool) -> int:
        current = os.dup(self.descriptor)
        try:
            for part in parts:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o700, dir_fd=current)
                following = _opened(part, _FOLDER, current)
                os.close(current)
                current = following
        except BaseException:
            os.close(current)
            raise
        return current

    def _open(self, name: str, flags: int, parent: int) -> int:
        descriptor = _opened(name, flags | _FILE, parent)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OutsideFolderError(f"{name[:200]!r} is not a file")
        return descriptor


def _opened(name: str, flags: int, parent: int) -> int:
    try:
        return os.open(name, flags, 0o600, dir_fd=parent)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR):
            raise OutsideFolderError(f"{name[:200]!r} is a link, or not what a path needs it to be") from error
        raise
