"""What differs between the two clients in more than words: sleeping, threads, locks and whom a connection pool belongs to."""

import asyncio
import os
import random
import threading
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Generator
from typing import Any, Protocol


class AsyncRuntime:
    """Time, chance and threads for the async client; tests put others in their place."""

    async def sleep(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        await asyncio.sleep(seconds)

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()

    def random(self) -> float:
        """A number from 0 up to 1."""
        return random.random()  # noqa: S311

    async def in_thread[**P, T](self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a function that blocks, without blocking the loop."""
        return await asyncio.to_thread(function, *args, **kwargs)

    async def both[A, B](self, first: Awaitable[A], second: Awaitable[B]) -> tuple[A, B]:
        """The results of two look-ups that are made side by side."""
        return await asyncio.gather(first, second)

    def owner(self) -> tuple[int, object]:
        """Whom a connection pool made now belongs to: the process and the running loop."""
        return os.getpid(), asyncio.get_running_loop()


class Runtime:
    """Time and chance for the sync client; tests put others in their place."""

    def sleep(self, seconds: float) -> None:
        """Lets `seconds` pass."""
        time.sleep(seconds)

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""
        return time.monotonic()

    def random(self) -> float:
        """A number from 0 up to 1."""
        return random.random()  # noqa: S311

    def in_thread[**P, T](self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a function that blocks, where it is called."""
        return function(*args, **kwargs)

    def both[A, B](self, first: A, second: B) -> tuple[A, B]:
        """The results of two look-ups."""
        return first, second

    def owner(self) -> tuple[int, object]:
        """Whom a connection pool made now belongs to: the process."""
        return os.getpid(), threading.main_thread()


class AsyncListing[T](Protocol):
    """Something that `await` turns into a list."""

    @abstractmethod
    async def list(self) -> list[T]:
        """All items."""

    def __await__(self) -> Generator[Any, Any, "list[T]"]:
        return self.list().__await__()


class Listing[T](Protocol):
    """Something that `list()` turns into a list."""

    @abstractmethod
    def list(self) -> list[T]:
        """All items."""
