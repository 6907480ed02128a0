"""What differs between the two clients in more than words: pauses, threads, generators and lists."""

import asyncio
import builtins
import os
import random
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

type AsyncStream[T] = AsyncGenerator[T, None]
"""Items as they come; closing it ends what they come from."""

type Stream[T] = Generator[T, None, None]
"""Items as they come; closing it ends what they come from."""


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


class AsyncListing[T](ABC):
    """Something that `await` turns into a list."""

    @abstractmethod
    async def list(self) -> builtins.list[T]:
        """All items."""

    def __await__(self) -> Generator[Any, Any, builtins.list[T]]:
        return self.list().__await__()


class Listing[T](ABC):
    """Something that `list()` turns into a list."""

    @abstractmethod
    def list(self) -> builtins.list[T]:
        """All items."""
