"""Functions as spans: each call of what is decorated is one, current while the function's own code runs."""

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalrouter.tracing.spans import CapturedSpan

MOST_YIELDED = 1000
"""Items of a generator that are kept as its output."""


def wrap(function: Callable[..., Any], make: Callable[[], "CapturedSpan"], keeps: bool) -> Callable[..., Any]:
    """A function that does the same in a span.

    Args:
        function: A function, a coroutine function, or a generator of either sort.
        make: Makes a span.
        keeps: Whether arguments and results are kept.
    """
    read_into = _reader(function) if keeps else _read_nothing

    if inspect.isasyncgenfunction(function):

        @wraps(function)
        async def streamed(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            generator, yielded = function(*args, **kwargs), _Yielded(keeps)
            with _timed(make()) as span:
                read_into(span, args, kwargs)
                step = generator.__anext__()
                while True:
                    try:
                        with _running(span):
                            item = await step
                    except StopAsyncIteration:
                        span.output(yielded.items)
                        return
                    yielded.add(item)
                    try:
                        step = generator.asend((yield item))
                    except GeneratorExit:
                        with _running(span):
                            await generator.aclose()
                        raise
                    except BaseException as error:
                        step = generator.athrow(error)

        return streamed

    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def yielding(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            generator, yielded = function(*args, **kwargs), _Yielded(keeps)
            with _timed(make()) as span:
                read_into(span, args, kwargs)
                step, given = generator.send, None
                while True:
                    try:
                        with _running(span):
                            item = step(given)
                    except StopIteration as ended:
                        span.output(yielded.items)
                        return ended.value
                    yielded.add(item)
                    try:
                        step, given = generator.send, (yield item)
                    except GeneratorExit:
                        with _running(span):
                            generator.close()
                        raise
                    except BaseException as error:
                        step, given = generator.throw, error

        return yielding

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            with make() as span:
                read_into(span, args, kwargs)
                result = await function(*args, **kwargs)
                span.output(result)
                return result

        return awaited

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        with make() as span:
            read_into(span, args, kwargs)
            result = function(*args, **kwargs)
            span.output(result)
            return result

    return called


class _Yielded:
    """What a generator has yielded, as far as it is kept."""

    def __init__(self, keeps: bool) -> None:
        self.items: list[Any] = []
        self._keeps = keeps

    def add(self, item: Any) -> None:
        if self._keeps and len(self.items) < MOST_YIELDED:
            self.items.append(item)


@contextmanager
def _timed(span: "CapturedSpan") -> Iterator["CapturedSpan"]:
    """Starts and ends a span without making it current."""
    span.start()
    try:
        yield span
    except BaseException as error:
        span.end(error)
        raise
    span.end()


@contextmanager
def _running(span: "CapturedSpan") -> Iterator[None]:
    """The span is current meanwhile."""
    from evalrouter.tracing.spans import make_current

    before = make_current(span)
    try:
        yield
    finally:
        make_current(before)


def _reader(function: Callable[..., Any]) -> Callable[["CapturedSpan", tuple[Any, ...], dict[str, Any]], None]:
    """Keeps a call's arguments as a span's input, by their names; the object of a method is no argument."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return _read_nothing

    def read_into(span: "CapturedSpan", args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            return
        span.input({name: value for name, value in given.items() if name not in ("self", "cls")})

    return read_into


def _read_nothing(span: "CapturedSpan", args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Keeps nothing."""
