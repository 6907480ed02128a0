"""The files that a task comes with: laid out in the agent's working folder, and what became of them in the end.

Nothing is followed: a link is no file, and a path is opened part by part, whatever was changed there meanwhile.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import field, frozen

from evalrouter.agents.acp.folder import Folder, OutsideFolderError

MOST_FILES = 200
"""Changed files that are handed in."""

LARGEST_FILE = 262_144
"""Characters of a file that is handed in."""

MOST_CHARACTERS = 800_000
"""Characters of all that is handed in, as JSON writes them."""

MOST_ENTRIES = 20_000
"""Files and folders that are looked at."""

MOST_LEFT_OUT = 50

_PASSED_OVER = frozenset(
    {".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", "node_modules"}
)
"""Folders that tools make, which are not looked at."""


@frozen
class ChangedFiles:
    """What an agent changed.

    Attributes:
        files: The whole new content by path; None for a file that was removed.
        left_out: What was changed and cannot be handed in, each with the reason.
    """

    files: Mapping[str, str | None] = field(repr=False)
    left_out: tuple[str, ...] = ()


class TaskFiles:
    """The files of one task.

    Args:
        folder: The agent's working folder.
        files: The content by path.
    """

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self._path = folder
        self._files = dict(files)

    def lay_out(self) -> None:
        """Writes the files into the folder.

        Raises:
            OSError: They cannot be written.
            OutsideFolderError: A path leads out of the folder.
        """
        folder = Folder(self._path)
        try:
            for path, content in self._files.items():
                folder.write(path, content.encode())
        finally:
            folder.close()

    def changed(self) -> ChangedFiles:
        """What is different from what was laid out."""
        try:
            folder = Folder(self._path)
        except OSError:
            return ChangedFiles({}, ("the working folder cannot be looked at",))
        try:
            return _Comparison(folder, self._files).run()
        finally:
            folder.close()


class _Comparison:
    """One look at a folder."""

    def __init__(self, folder: Folder, before: Mapping[str, str]) -> None:
        self._folder = folder
        self._before = before
        self._changed: dict[str, str | None] = {}
        self._left_out: list[str] = []
        self._characters = 0

    def run(self) -> ChangedFiles:
        found: set[str] = set()
        for number, (path, is_file) in enumerate(self._paths()):
            if number >= MOST_ENTRIES:
                self._leave_out("(the folder)", f"more than {MOST_ENTRIES:,} files and folders")
                found |= self._before.keys()  # what was not looked at is not taken for removed
                break
            found.add(path)
            if is_file:
                self._look_at(path)
            else:
                self._leave_out(path, "not a file of its own")
        for path in sorted(self._before.keys() - found):
            self._hand_in(path, None)
        return ChangedFiles(self._changed, tuple(self._left_out))

    def _paths(self) -> Iterator[tuple[str, bool]]:
        """The paths of all that is no folder, and whether it is a file."""
        looked_at = 0
        walk = os.fwalk(
            ".", dir_fd=self._folder.descriptor, follow_symlinks=False, onerror=lambda error: self._cannot_look(error)
        )
        for here, folders, names, descriptor in walk:
            looked_at += len(folders)
            inside = sorted(set(folders) - _PASSED_OVER) if looked_at <= MOST_ENTRIES else []
            links = [name for name in inside if not stat.S_ISDIR(_mode(name, descriptor))]
            folders[:] = [name for name in inside if name not in links]
            for name in sorted([*names, *links]):
                yield f"{here}/{name}".removeprefix("./"), stat.S_ISREG(_mode(name, descriptor))

    def _look_at(self, path: str) -> None:
        before = self._before.get(path)
        if before is None and path.endswith((".pyc", ".pyo")):
            return
        try:
            content = self._folder.read(path)
        except OutsideFolderError:
            self._leave_out(path, "too large, or not a file of its own")
            return
        except OSError as error:
            self._leave_out(path, f"cannot be read ({error.strerror})")
            return
        if before is not None and content == before.encode():
            return
        try:
            self._hand_in(path, content.decode())
        except UnicodeDecodeError:
            self._leave_out(path, "not a text (UTF-8)")

    def _hand_in(self, path: str, content: str | None) -> None:
        if not path.isprintable() or len(path) > 200:
            self._leave_out(path, "a name that cannot be handed in")
        elif len(self._changed) >= MOST_FILES:
            self._leave_out(path, f"more than {MOST_FILES} changed files")
        elif content is not None and len(content) > LARGEST_FILE:
            self._leave_out(path, f"more than {LARGEST_FILE:,} characters")
        else:
            characters = len(json.dumps({path: content}))
            if self._characters + characters > MOST_CHARACTERS:
                self._leave_out(path, f"more than {MOST_CHARACTERS:,} characters together with the others")
                return
            self._characters += characters
            self._changed[path] = content

    def _cannot_look(self, error: OSError) -> None:
        self._leave_out(str(error.filename), f"cannot be looked at ({error.strerror})")

    def _leave_out(self, path: str, reason: str) -> None:
        if len(self._left_out) < MOST_LEFT_OUT:
            shown = path[:200].encode(errors="replace").decode()
            self._left_out.append(f"{shown!r}: {reason}"[:300])


def _mode(name: str, folder: int) -> int:
    """The kind of something in a folder; 0 where it is gone."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return 0
