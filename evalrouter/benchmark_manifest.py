"""The manifest of a benchmark of your own, and the file with its rows, as they are on this machine."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from evalrouter.errors import InvalidArgumentError
from evalrouter.grader_folder import read_grader_folder

LARGEST_MANIFEST_BYTES = 512 * 1024


@frozen
class Manifest:
    """A manifest that was read.

    Attributes:
        document: What it says.
        rows: The file with the rows; None where the server has it from a hub.
    """

    document: dict[str, Any]
    rows: Path | None


@frozen
class RowsFile:
    """A file with rows, read part by part, so that its size does not matter.

    Attributes:
        path: Where it is.
        sha256: Its digest.
        byte_count: Its size in bytes.
    """

    path: Path
    sha256: str
    byte_count: int

    @classmethod
    def read(cls, path: Path) -> "RowsFile":
        """Reads a file's size and digest.

        Raises:
            InvalidArgumentError: It cannot be read.
        """
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                return cls(path, digest, file.tell())
        except OSError as error:
            raise _unreadable(path, error) from error

    def part(self, number: int, part_bytes: int) -> bytes:
        """A part of the file.

        Args:
            number: From 0.
            part_bytes: Bytes of every part but the last.

        Raises:
            InvalidArgumentError: It cannot be read any more.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(number * part_bytes)
                return file.read(part_bytes)
        except OSError as error:
            raise _unreadable(self.path, error) from error


def read_manifest(manifest: str | os.PathLike[str] | Mapping[str, Any]) -> Manifest:
    """Reads a manifest.

    Args:
        manifest: The path of a YAML or JSON file, or what such a file would say. The paths of the rows and
            of a grader's folder in it count from the manifest's folder, or from the working folder.

    Raises:
        InvalidArgumentError: It cannot be read, or is not a mapping of JSON's kinds of values.
    """
    if isinstance(manifest, Mapping):
        document, folder = dict(manifest), Path()
    else:
        path = Path(manifest)
        document, folder = _parse(path), path.parent
    _check_values(document)
    document = _with_grader(document, folder)
    source = document.get("source")
    if not isinstance(source, dict) or source.get("kind") != "file":
        return Manifest(document, None)
    if not isinstance(source.get("path"), str) or not source["path"]:
        raise InvalidArgumentError("The manifest's source.path is missing: name the file with the rows.")
    rows = folder / source["path"]
    return Manifest({**document, "source": {**source, "path": rows.name}}, rows)


def _check_values(document: dict[str, Any]) -> None:
    """Checks that a manifest can be sent, piece by piece, since a few aliases of YAML can stand for gigabytes."""
    size = 0
    try:
        for piece in json.JSONEncoder(allow_nan=False).iterencode(document):
            size += len(piece)
            if size > LARGEST_MANIFEST_BYTES:
                break
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"The manifest holds a value that is neither text, number, list nor mapping ({error}): write it in quotes."
        ) from None
    if size > LARGEST_MANIFEST_BYTES:
        raise InvalidArgumentError(
            f"The manifest says more than {LARGEST_MANIFEST_BYTES:,} characters: say less, and use fewer aliases."
        )


def _with_grader(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The manifest with the files of a grader of its own in place of its folder's name."""
    grader = document.get("grader")
    if not isinstance(grader, dict) or grader.get("kind") != "custom" or "folder" not in grader:
        return document
    if not isinstance(grader["folder"], str) or not grader["folder"]:
        raise InvalidArgumentError("The manifest's grader.folder must name the folder with the grader.")
    rest = {name: value for name, value in grader.items() if name != "folder"}
    return {**document, "grader": {**rest, "files": read_grader_folder(folder / grader["folder"])}}


def _parse(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_MANIFEST_BYTES:
            raise InvalidArgumentError(
                f"{path} has more than {LARGEST_MANIFEST_BYTES:,} bytes, which is no manifest: name the manifest, "
                "which names the file with the rows."
            )
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"{path} is not UTF-8 at its byte {error.start + 1}: save it as UTF-8.") from None
    # Few programs read a manifest, and the parser takes its time to import.
    import yaml

    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidArgumentError(f"{path} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(document, dict):
        raise InvalidArgumentError(f"{path} holds no manifest, which is a mapping with slug, source, rows and so on.")
    return document


def _unreadable(path: Path, error: OSError) -> InvalidArgumentError:
    return InvalidArgumentError(f"{path} cannot be read ({error.strerror}): name a file that can.")
