"""Unpacking what somebody else made: only plain files and folders, only inside, only so many and so large."""

import bz2
import gzip
import io
import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from attrs import define, field, frozen

MEBIBYTE = 1024 * 1024
_CHUNK = 256 * 1024
_DEEPEST = 64
_LARGEST_HEADER = 4 * MEBIBYTE
_END_OF_ZIP = b"PK\x05\x06"
_END_OF_ZIP_BYTES = 22
_LONGEST_ZIP_COMMENT = 65_535
_BYTES_PER_ZIP_ENTRY = 1024


class ArchiveError(ValueError):
    """The archive was refused: what in it, and why."""


@frozen
class Limits:
    """How much an archive may unpack to.

    Attributes:
        entries: Files and folders.
        total_bytes: Bytes of all files.
        ratio: Bytes unpacked for each byte of the archive; counts from `ratio_from` bytes on.
        ratio_from: Bytes that any archive may unpack to.
    """

    entries: int = 50_000
    total_bytes: int = 4096 * MEBIBYTE
    ratio: int = 200
    ratio_from: int = 64 * MEBIBYTE

    def allowance(self, archive_bytes: int) -> int:
        """Bytes that an archive of this size may unpack to."""
        return min(self.total_bytes, max(self.ratio_from, archive_bytes * self.ratio))


def unpack(archive: Path, kind: str, folder: Path, limits: Limits | None = None) -> None:
    """Unpacks an archive into a folder of its own.

    Args:
        archive: The archive.
        kind: Its kind, as `archive_kind` gives it.
        folder: Where to; it must be empty, and is left half full where the archive is refused.
        limits: How much it may unpack to.

    Raises:
        ArchiveError: It is broken, too large, or has anything in it but plain files and folders inside the folder.
    """
    limits = limits or Limits()
    target = _Target(folder, limits, limits.allowance(archive.stat().st_size))
    try:
        if kind == "zip":
            _unpack_zip(archive, target)
        else:
            _unpack_tar(archive, kind, target)
    except ArchiveError:
        raise
    except (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise ArchiveError(f"it is broken: {error}") from error
    except (OSError, ValueError, NotImplementedError, RuntimeError, OverflowError) as error:
        raise ArchiveError(f"it cannot be unpacked: {error}") from error


def archive_kind(name: str) -> str | None:
    """The kind of an archive by its name: `zip`, `tar`, `tar.gz`, `tar.bz2`, `tar.xz`; None where it is a plain file.

    Args:
        name: A file's name or the path of an address.
    """
    kinds = {
        ".zip": "zip",
        ".tar": "tar",
        ".tar.gz": "tar.gz",
        ".tgz": "tar.gz",
        ".tar.bz2": "tar.bz2",
        ".tbz2": "tar.bz2",
        ".tar.xz": "tar.xz",
        ".txz": "tar.xz",
    }
    return next((kind for suffix, kind in kinds.items() if name.lower().endswith(suffix)), None)


@define
class _Target:
    """The folder that is filled, and what it may still take."""

    folder: Path
    limits: Limits
    allowance: int
    entries: int = field(init=False, default=0)
    written: int = field(init=False, default=0)

    def place(self, name: str) -> Path:
        """Where an entry goes.

        Raises:
            ArchiveError: Its name leads out of the folder, or it is one too many.
        """
        self.entries += 1
        if self.entries > self.limits.entries:
            raise ArchiveError(f"it has more than {self.limits.entries:,} files and folders")
        parts = PurePosixPath(name).parts
        if len(parts) > _DEEPEST:
            raise ArchiveError(f"its entry {name[:100]!r} is more than {_DEEPEST} folders deep")
        if not name or "\0" in name or "\\" in name or name.startswith("/") or ".." in parts or ":" in name:
            raise ArchiveError(f"its entry {name[:100]!r} is not a path inside the folder")
        return self.folder.joinpath(*parts)

    def make_folder(self, name: str) -> None:
        self.place(name).mkdir(mode=0o755, parents=True, exist_ok=True)

    def make_file(self, name: str, source: IO[bytes], *, executable: bool) -> None:
        path = self.place(name)
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags, 0o755 if executable else 0o644), "wb") as file:
            while chunk := source.read(_CHUNK):
                self.written += len(chunk)
                if self.written > self.allowance:
                    raise ArchiveError(f"it unpacks to more than {self.allowance:,} bytes")
                file.write(chunk)


def _unpack_zip(archive: Path, target: _Target) -> None:
    _check_zip_directory(archive, target.limits)
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            form = stat.S_IFMT(mode)
            if form not in (0, stat.S_IFREG, stat.S_IFDIR):
                raise ArchiveError(f"its entry {info.filename[:100]!r} is a link or a special file")
            if info.is_dir():
                target.make_folder(info.filename)
                continue
            with opened.open(info) as source:
                target.make_file(info.filename, source, executable=bool(mode & 0o111))


def _check_zip_directory(archive: Path, limits: Limits) -> None:
    """Refuses a zip whose directory alone would fill the memory, before it is read."""
    with archive.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _END_OF_ZIP_BYTES - _LONGEST_ZIP_COMMENT))
        tail = file.read()
    start = tail.rfind(_END_OF_ZIP)
    end = tail[start : start + _END_OF_ZIP_BYTES] if start >= 0 else b""
    if len(end) < _END_OF_ZIP_BYTES:
        raise ArchiveError("it is broken: it has no end of a zip file")
    count, length = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if count > limits.entries or length > limits.entries * _BYTES_PER_ZIP_ENTRY:
        raise ArchiveError(f"it has more than {limits.entries:,} files and folders")


def _unpack_tar(archive: Path, kind: str, target: _Target) -> None:
    # Padding and headers come on top of the files, at most some 1,024 bytes for each.
    allowance = target.allowance + 4096 * target.limits.entries
    with _decompressed(archive, kind) as stream, tarfile.TarFile(fileobj=_Bounded(stream, allowance)) as opened:  # type: ignore[arg-type]
        while (member := opened.next()) is not None:
            opened.members = []  # type: ignore[attr-defined]  # tarfile keeps every header otherwise
            if member.isdir():
                target.make_folder(member.name)
            elif member.isreg() and not member.issparse():
                if member.size > target.allowance - target.written:
                    raise ArchiveError(f"it unpacks to more than {target.allowance:,} bytes")
                source = opened.extractfile(member)
                if source is None:
                    raise ArchiveError(f"its entry {member.name[:100]!r} cannot be read")
                with source:
                    target.make_file(member.name, source, executable=bool(member.mode & 0o111))
            else:
                raise ArchiveError(f"its entry {member.name[:100]!r} is a link or a special file")
        _read_to_end(stream, allowance)


def _decompressed(archive: Path, kind: str) -> BinaryIO:
    match kind:
        case "tar.gz":
            return io.BufferedReader(gzip.GzipFile(archive))
        case "tar.bz2":
            return io.BufferedReader(bz2.BZ2File(archive))
        case "tar.xz":
            return io.BufferedReader(lzma.LZMAFile(archive))
        case _:
            return archive.open("rb")


def _read_to_end(stream: BinaryIO, allowance: int) -> None:
    """Reads what follows the last entry, so that an archive that was cut off or damaged there is noticed."""
    rest = 0
    while chunk := stream.read(_CHUNK):
        rest += len(chunk)
        if rest > allowance:
            raise ArchiveError(f"it unpacks to more than {allowance:,} bytes")


class _Bounded:
    """A stream of which no header is read that is larger than a header, and no more than the allowance altogether."""

    def __init__(self, stream: BinaryIO, allowance: int) -> None:
        self._stream = stream
        self._allowance = allowance

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > _LARGEST_HEADER:
            raise ArchiveError("it has a header of more than 4 MiB")
        content = self._stream.read(size)
        self._check(self._stream.tell())
        return content

    def seek(self, position: int, whence: int = os.SEEK_SET) -> int:
        self._check(position)
        return self._stream.seek(position, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def _check(self, position: int) -> None:
        if position > self._allowance:
            raise ArchiveError(f"it unpacks to more than {self._allowance:,} bytes")


def place_program(file: Path, name: str, folder: Path) -> None:
    """Puts a program that is no archive into a folder, executable.

    Args:
        file: The program.
        name: The name that it gets.
        folder: Where to.

    Raises:
        ArchiveError: The name is not one.
    """
    target = _Target(folder, Limits(), 0).place(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    target.chmod(0o755)
