"""Kills this process, or fills its disk, at a chosen operation on the import's files."""

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from evalrouter.langsmith import files, remembered

type Way = Literal["kill before", "kill after", "disk full"]


class KilledError(BaseException):
    """What stands for a kill within a test's own process: nothing of ours may catch it."""


def die() -> None:
    """A real one."""
    os.kill(os.getpid(), signal.SIGKILL)


def throw() -> None:
    """One that the test survives."""
    raise KilledError


class Sabotage:
    """Counts operations, and strikes at one.

    Args:
        at: Which operation, from 0; -1 for none.
        way: What happens there.
        kill: How to kill.
    """

    def __init__(self, at: int, way: Way, kill: Callable[[], None] = throw) -> None:
        self.count = 0
        self._at = at
        self._way = way
        self._kill = kill

    def around[**P, T](self, operation: Callable[P, T], *, takes_room: bool = True) -> Callable[P, T]:
        """The operation, with what is to happen before or after it."""

        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            strikes = self.count == self._at
            self.count += 1
            if strikes and self._way == "kill before":
                self._kill()
            if strikes and self._way == "disk full" and takes_room:
                raise OSError(errno.ENOSPC, "No space left on device")
            try:
                return operation(*args, **kwargs)
            finally:
                if strikes and self._way == "kill after":
                    self._kill()

        return run

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Applies it to the modules that touch the import's files."""
        shim: Any = SimpleNamespace(**{name: getattr(os, name) for name in dir(os)})
        for name in ("fsync", "write"):
            setattr(shim, name, self.around(getattr(os, name)))
        opening = self.around(os.open)

        def open_file(path: Any, flags: int, *args: int) -> int:
            return opening(path, flags, *args) if flags & os.O_WRONLY else os.open(path, flags, *args)

        shim.open = open_file
        replace, unlink = Path.replace, Path.unlink
        modules: tuple[Any, ...] = (files, remembered)
        for module in modules:
            module.os = shim
        Path.replace = self.around(replace)  # type: ignore[method-assign]
        Path.unlink = self.around(unlink, takes_room=False)  # type: ignore[method-assign]
        try:
            yield
        finally:
            for module in modules:
                module.os = os
            Path.replace, Path.unlink = replace, unlink  # type: ignore[method-assign]
