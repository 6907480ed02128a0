"""Where an export is written: complete or not at all, and never over a file unless told to."""

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from evalrouter.errors import ExportExistsError, InvalidArgumentError

FORMATS = ("json", "jsonl", "csv", "parquet", "html")


def checked_format(file_format: str) -> str:
    """The format of an export.

    Raises:
        InvalidArgumentError: There is no such format.
    """
    if file_format not in FORMATS:
        raise InvalidArgumentError(f"format={file_format!r} is not valid: pass one of {', '.join(FORMATS)}.")
    return file_format


class ExportFile:
    """A file that appears under its name once it is complete.

    Args:
        path: Where; None for a fresh name after the run in the working folder. A folder gets a fresh name in it.
        stem: The fresh name without its ending.
        suffix: Its ending, without a dot.
        overwrite: Whether a file that is there may be replaced.

    Raises:
        ExportExistsError: The file is there and may not be replaced.
        InvalidArgumentError: No file can be written there.
    """

    def __init__(self, path: str | os.PathLike[str] | None, stem: str, suffix: str, overwrite: bool) -> None:
        given = Path() if path is None else Path(path)
        self._fresh = given.is_dir()
        self._folder = given if self._fresh else given.parent
        self._target = given
        self._stem, self._suffix = stem, suffix
        self._overwrite = overwrite
        if not self._fresh and not overwrite and os.path.lexists(given):
            raise self._refusal()

    def __enter__(self) -> Self:
        try:
            descriptor, name = tempfile.mkstemp(prefix=f".{self._stem}-", suffix=".part", dir=self._folder)
        except OSError as error:
            raise InvalidArgumentError(
                f"{self._target} cannot be written: {self._folder.absolute()}: {error.strerror}. Pass another path."
            ) from error
        self._part = Path(name)
        self._file = os.fdopen(descriptor, "wb")
        return self

    def write(self, chunk: bytes) -> None:
        """Adds bytes."""
        self._file.write(chunk)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        try:
            if kind is None:
                self._part.chmod(0o666 & ~_umask())
                self.path = self._publish()
        finally:
            self._part.unlink(missing_ok=True)

    def _publish(self) -> Path:
        if not self._fresh:
            if self._overwrite:
                return self._part.replace(self._target)
            return self._link(self._target)
        for number in range(1, 10_000):
            name = f"{self._stem}.{self._suffix}" if number == 1 else f"{self._stem}-{number}.{self._suffix}"
            try:
                return self._link(self._folder / name)
            except ExportExistsError:
                continue
        raise self._refusal()

    def _link(self, target: Path) -> Path:
        """Gives the file its name only where nothing has it, in one step."""
        self._target = target
        try:
            os.link(self._part, target)
        except FileExistsError:
            raise self._refusal() from None
        except OSError:  # a file system without hard links
            try:
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            except FileExistsError:
                raise self._refusal() from None
            self._part.replace(target)
        return target

    def _refusal(self) -> ExportExistsError:
        return ExportExistsError(f"{self._target} exists: pass another path, or overwrite=True to replace it.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
