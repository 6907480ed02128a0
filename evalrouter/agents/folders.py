"""Removing the folders that agents had."""

import contextlib
import shutil
import stat
from pathlib import Path

_ROUNDS = 100


def remove_folder(path: Path) -> None:
    """Removes a folder that an agent had, even where the agent took the right to change a folder of it away.

    Args:
        path: The folder; links in it are removed, not followed.
    """

    def allow(_: object, name: str, error: BaseException) -> None:
        for each in (Path(name).parent, Path(name)):
            with contextlib.suppress(OSError):
                if each.is_relative_to(path) and each.is_dir() and not each.is_symlink():
                    each.chmod(stat.S_IRWXU)

    for _ in range(_ROUNDS):
        shutil.rmtree(path, onexc=allow)
        if not path.exists():
            return
