"""Where installed agents are: a folder each, which counts only once its record has been written beside it."""

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attrs import field, frozen
from filelock import FileLock
from platformdirs import user_cache_path


@frozen
class Installed:
    """An agent that is on this machine.

    Attributes:
        argv: Its command, without arguments.
        hash: The hash of what was fetched, where one was read: `sha256:...` of an archive, npm's `sha512-...`.
        version: The version that the package says it has.
        files: The folder that it is in.
    """

    argv: tuple[str, ...]
    hash: str | None
    version: str | None
    files: Path = field(factory=Path)


@frozen
class AgentStore:
    """The product's folder of installed agents.

    Attributes:
        folder: The folder.
    """

    folder: Path

    def find(self, id_: str, key: str) -> Installed | None:
        """The installed agent.

        Args:
            id_: The agent's ID.
            key: What names exactly what is installed.

        Returns:
            None where it is not there, or not whole.
        """
        try:
            record = json.loads(self._record(id_, key).read_text(encoding="utf-8"))
            files = self.folder / id_ / record["folder"]
            argv = tuple(map(str, record["argv"]))
            whole = bool(argv) and files.is_dir() and all(Path(each).exists() for each in argv)
            return Installed(argv, record.get("hash"), record.get("version"), files) if whole else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def get(
        self, id_: str, key: str, install: Callable[[Path], Installed], facts: dict[str, Any] | None = None
    ) -> Installed:
        """The installed agent, installed now where it is not there; whoever else installs it at the same time waits.

        Args:
            id_: The agent's ID.
            key: What names exactly what is installed.
            install: Installs it into an empty folder. What it leaves there when it fails or is killed is never used.
            facts: What else the record says.

        Raises:
            OSError: The folder cannot be used.
        """
        place = self.folder / id_
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if found := self.find(id_, key):
            return found
        with FileLock(place / f"{_short(key)}.lock"):
            if found := self.find(id_, key):
                return found
            for left_over in place.glob(f"{_short(key)}-*"):
                shutil.rmtree(left_over, ignore_errors=True)
            files = place / f"{_short(key)}-{secrets.token_hex(4)}"
            files.mkdir(mode=0o700)
            try:
                installed = install(files)
                record = {
                    **(facts or {}),
                    "key": key,
                    "folder": files.name,
                    "argv": list(installed.argv),
                    "hash": installed.hash,
                    "version": installed.version,
                }
                write_whole(self._record(id_, key), json.dumps(record, indent=2) + "\n")
            except BaseException:
                shutil.rmtree(files, ignore_errors=True)
                raise
        return Installed(installed.argv, installed.hash, installed.version, files)

    def _record(self, id_: str, key: str) -> Path:
        return self.folder / id_ / f"{_short(key)}.json"


def default_store() -> AgentStore:
    """The store of this user; the variable EVALROUTER_AGENTS_DIR moves it."""
    moved = os.environ.get("EVALROUTER_AGENTS_DIR")
    return AgentStore(Path(moved).expanduser().absolute() if moved else user_cache_path("evalrouter") / "agents")


def write_whole(path: Path, content: str) -> None:
    """Writes a file so that nobody ever sees a part of it.

    Args:
        path: The file; its folder is made.
        content: What it gets.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with scratch.open("w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _short(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:16]
