"""Wrapped work, sync and async, as blocks and as decorators, wherever it runs."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs
import pytest

from evalrouter.errors import InvalidArgumentError
from evalrouter.tracing import CapturedSpan, TraceCapture
from tests.tracing.conftest import Make
from tests.tracing.receiver import Receiver

KINDS = ("agent", "model", "tool", "retrieval", "embedding", "chain")


def sent(capture: TraceCapture, receiver: Receiver) -> dict[str, dict[str, Any]]:
    """What the server holds after a flush, by name."""
    assert capture.flush()
    return {span["name"]: span for span in receiver.spans.values()}


def parents(spans: dict[str, dict[str, Any]]) -> dict[str, str | None]:
    """Each span's parent, by name."""
    names = {span["span_id"]: name for name, span in spans.items()}
    return {name: names.get(span["parent_span_id"]) for name, span in spans.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_a_block_sync_and_async_and_a_decorator(
    kind: str, capture: TraceCapture, receiver: Receiver
) -> None:
    span: Any = getattr(capture, kind)
    with span("block") as entered:
        assert isinstance(entered, CapturedSpan)
        assert entered.is_recorded

    async def work() -> int:
        async with span("async block"):
            result: int = await decorated(1)
            return result

    @span("async decorated")  # type: ignore[untyped-decorator]
    async def decorated(value: int) -> int:
        await asyncio.sleep(0)
        return value + 1

    @span  # type: ignore[untyped-decorator]
    def bare(value: int) -> int:
        return value * 2

    @span("decorated")  # type: ignore[untyped-decorator]
    def named(value: int, *, more: str = "") -> str:
        return f"{value}{more}"

    assert (asyncio.run(work()), bare(2), named(3, more="x")) == (2, 4, "3x")
    spans = sent(capture, receiver)
    assert {span["kind"] for span in spans.values()} == {kind}
    assert parents(spans) == {
        "block": None,
        "async block": None,
        "async decorated": "async block",
        "bare": None,
        "decorated": None,
    }
    assert (spans["decorated"]["input"], spans["decorated"]["output"]) == ({"value": 3, "more": "x"}, "3x")
    assert (spans["async decorated"]["input"], spans["async decorated"]["output"]) == ({"value": 1}, 2)


def test_what_a_span_says_is_sent(capture: TraceCapture, receiver: Receiver) -> None:
    before = datetime.now(UTC).timestamp() * 1e9
    with capture.agent("root", attributes={"tier": "gold"}) as root:
        root.input({"message": "hi"})
        with capture.model("m") as span:
            span.usage(input_tokens=7, output_tokens=None, cache_read_tokens=2)
            span.usage(output_tokens=3, reasoning_tokens=1, cache_write_tokens=0, total_tokens=10)
            span.cost(Decimal("0.0125"))
            span.attribute("temperature", 0.5)
            span.attributes({"stream": False, "tags": ["a"]})
            span.output("first")
            span.output({"answer": "last counts"})
    spans = sent(capture, receiver)
    assert root.trace_id is not None
    assert {span["trace_id"] for span in spans.values()} == {root.trace_id}
    assert spans["root"]["attributes"] == {"tier": "gold"}
    assert spans["root"]["input"] == {"message": "hi"}
    model = spans["m"]
    assert model["tokens"] == {
        "input": 7, "output": 3, "cache_read": 2, "cache_write": 0, "reasoning": 1, "total": 10
    }  # fmt: skip
    assert model["cost_usd"] == "0.0125"
    assert model["attributes"] == {"temperature": 0.5, "stream": False, "tags": ["a"]}
    assert model["output"] == {"answer": "last counts"}
    assert model["status"] == "ok"
    assert before <= spans["root"]["start_unix_nano"] <= model["start_unix_nano"] <= model["end_unix_nano"]
    assert model["end_unix_nano"] <= spans["root"]["end_unix_nano"]


def test_an_exception_is_noted_and_goes_on(capture: TraceCapture, receiver: Receiver) -> None:
    with pytest.raises(KeyError), capture.tool("broken"):
        raise KeyError("no such city")
    with capture.tool("told") as span:
        span.error("the service said no")
    spans = sent(capture, receiver)
    assert spans["broken"]["status"] == spans["told"]["status"] == "error"
    assert spans["broken"]["error"] == {"type": "KeyError", "message": "'no such city'"}
    assert spans["told"]["error"] == "the service said no"


def test_input_is_what_it_was_when_it_was_given(capture: TraceCapture, receiver: Receiver) -> None:
    messages = ["first"]
    with capture.model("m") as span:
        span.input(messages)
        messages.append("later")
    assert sent(capture, receiver)["m"]["input"] == ["first"]


@attrs.define
class Answer:
    text: str
    token: str


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no attributes")

    def __iter__(self) -> Any:
        raise RuntimeError("no items")


def cycle() -> list[Any]:
    looped: list[Any] = [1]
    looped.append(looped)
    return looped


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (Answer("hi", "t0"), {"text": "hi", "token": "[redacted]"}),
        (b"abc", "[3 bytes]"),
        (datetime(2026, 11, 29, tzinfo=UTC), "2026-11-29T00:00:00+00:00"),
        ({1: "a", (2, 3): "b"}, {"1": "a", "[builtins.tuple]": "b"}),
        ([float("nan"), float("inf"), 1.5], ["nan", "inf", 1.5]),
        ({"a": 2**70}, {"a": 2**70}),
        ("a\0b\ud800", "a\ufffdb?"),
        ("naïve 😀", "naïve 😀"),
        (object(), "[builtins.object]"),
        (int, "[builtins.int]"),
        (deep(200), None),
        ({"big": 10**5000}, {"big": "[large integer]"}),
    ],
)
def test_any_value_becomes_json(value: Any, kept: Any, capture: TraceCapture, receiver: Receiver) -> None:
    with capture.tool("t") as span:
        span.output(value)
    output = sent(capture, receiver)["t"]["output"]
    assert output == kept or (kept is None and "too deep" in str(output))


@pytest.mark.parametrize("build", [Hostile, lambda: [Hostile()], cycle, lambda: {"a": {"b": cycle()}}])
def test_hostile_values_raise_nothing(build: Any, capture: TraceCapture, receiver: Receiver) -> None:
    value = build()
    with capture.tool("t", attributes={"x": value}) as span:
        span.input(value)
        span.error(value)
        span.attribute("y", value)
    assert sent(capture, receiver)["t"]["status"] == "error"


def test_long_content_is_cut_and_says_so(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.tool("t") as span:
        span.output("x" * 2_000_000)
    kept = sent(capture, receiver)["t"]["output"]
    assert kept["truncated"] is True
    assert kept["characters"] == 2_000_002
    assert kept["start"].startswith('"xxx')
    assert len(kept["start"]) <= 120 * 1024


@pytest.mark.parametrize(
    "misuse",
    [
        lambda capture: capture.agent(""),
        lambda capture: capture.model(None),
        lambda capture: capture.agent("a").attribute("", 1),
        lambda capture: capture.agent("a").usage(input_tokens=-1),
        lambda capture: capture.agent("a").usage(input_tokens=True),
        lambda capture: capture.agent("a").usage(output_tokens=1.5),
        lambda capture: capture.agent("a").cost(-1),
        lambda capture: capture.agent("a").cost(float("nan")),
        lambda capture: capture.agent("a", attributes={str(number): 1 for number in range(129)}),
        lambda capture: capture.flush(timeout=0),
        lambda capture: capture.receipt("0" * 32),
        lambda capture: capture.seal(None),
    ],
)
def test_misuse_says_what_was_wrong(misuse: Any, capture: TraceCapture) -> None:
    with pytest.raises(ValueError, match=r"not valid|no trace|one too many|must not|is not a|not a"):
        misuse(capture)


def test_a_span_is_used_once(capture: TraceCapture) -> None:
    span = capture.agent("a")
    with span:
        pass
    with pytest.raises(InvalidArgumentError, match="has been used"), span:
        pass


def test_tasks_inherit_and_threads_do_not_unless_carried(capture: TraceCapture, receiver: Receiver) -> None:
    def tool(name: str) -> str | None:
        with capture.tool(name) as span:
            return span.trace_id

    async def child(name: str) -> None:
        async with capture.tool(name):
            await asyncio.sleep(0.01)

    async def work() -> str | None:
        async with capture.agent("root") as root:
            await asyncio.gather(*(child(f"task {number}") for number in range(5)))
            with ThreadPoolExecutor(4) as pool:
                carried = list(pool.map(capture.carry(tool), [f"carried {number}" for number in range(8)]))
            alone = threading.Thread(target=tool, args=("alone",))
            alone.start()
            alone.join()
            assert set(carried) == {root.trace_id}
        return root.trace_id

    asyncio.run(work())
    found = parents(sent(capture, receiver))
    assert found.pop("root") is None
    assert found.pop("alone") is None
    assert set(found.values()) == {"root"}
    assert len(found) == 13


def test_a_task_that_outlives_its_parents_stays_in_their_trace(capture: TraceCapture, receiver: Receiver) -> None:
    async def work() -> None:
        started = asyncio.Event()

        async def late() -> None:
            await started.wait()
            with capture.tool("late"):
                pass

        with capture.agent("root"), capture.chain("step"):
            task = asyncio.create_task(late())
        started.set()
        await task

    asyncio.run(work())
    assert parents(sent(capture, receiver)) == {"root": None, "step": "root", "late": "root"}


def test_a_decorated_generator_leaks_nothing(capture: TraceCapture, receiver: Receiver) -> None:
    @capture.chain("items")
    def items(count: int) -> Generator[int]:
        for number in range(count):
            with capture.tool(f"inside {number}"):
                pass
            yield number

    with capture.agent("root"):
        for number in items(2):
            with capture.tool(f"outside {number}"):
                pass
        unfinished = items(5)
        next(unfinished)
        unfinished.close()
    found = parents(spans := sent(capture, receiver))
    assert {found["outside 0"], found["outside 1"]} == {"root"}
    closed = [span for span in receiver.spans.values() if span["name"] == "items"]
    assert spans["inside 1"]["parent_span_id"] == closed[0]["span_id"]
    assert [span["status"] for span in closed] == ["ok", "ok"]
    assert closed[0]["output"] == [0, 1]
    assert spans["root"]["status"] == "ok"


def test_a_decorated_generator_takes_what_is_sent_and_thrown(capture: TraceCapture) -> None:
    @capture.chain("echo")
    def echo() -> Generator[Any, Any, str]:
        given: Any = None
        while True:
            try:
                given = yield given
            except KeyError:
                given = "caught"
                continue
            if given == "stop":
                return "returned"

    generator: Any = echo()
    assert [next(generator), generator.send(1), generator.throw(KeyError("x"))] == [None, 1, "caught"]
    with pytest.raises(StopIteration) as stopped:
        generator.send("stop")
    assert stopped.value.value == "returned"


async def test_an_async_generator_closed_in_another_task_does_no_harm(
    capture: TraceCapture, receiver: Receiver
) -> None:
    @capture.chain("decorated")
    async def decorated() -> AsyncIterator[int]:
        yield 1
        yield 2

    async def block() -> AsyncIterator[int]:
        with capture.chain("block"):
            yield 1
            yield 2

    for make in (decorated, block):
        with capture.agent(f"root of {make.__name__}"):
            generator: Any = make()
            await anext(generator)
        await asyncio.create_task(generator.aclose())
        with capture.agent(f"next after {make.__name__}"):
            pass
    found = parents(sent(capture, receiver))
    assert found["next after decorated"] is None
    assert found["next after block"] is None
    assert found["decorated"] == "root of decorated"


async def test_an_async_generator_streams_sends_and_fails(capture: TraceCapture, receiver: Receiver) -> None:
    @capture.model("m")
    async def tokens() -> AsyncIterator[str]:
        yield "a"
        yield "b"
        raise OSError("lost")

    stream = tokens()
    assert [await anext(stream), await anext(stream)] == ["a", "b"]
    with pytest.raises(OSError, match="lost"):
        await anext(stream)
    span = sent(capture, receiver)["m"]
    assert (span["status"], span["error"]) == ("error", {"type": "OSError", "message": "lost"})


def test_an_abandoned_generator_does_not_adopt_the_next_root(capture: TraceCapture, receiver: Receiver) -> None:
    def leaky() -> Iterator[int]:
        with capture.tool("leaky"):
            yield 1

    with capture.agent("root"):
        left = leaky()
        next(left)
    with capture.agent("next"):
        pass
    del left
    gc.collect()
    with capture.agent("after"):
        pass
    found = parents(sent(capture, receiver))
    assert found == {"root": None, "leaky": "root", "next": None, "after": None}


def test_spans_of_two_instances_do_not_mix(make: Make, receiver: Receiver) -> None:
    first, second = make(), make()
    with first.agent("a") as a, second.agent("b") as b, first.tool("c") as c, second.tool("d") as d:
        pass
    assert a.trace_id == c.trace_id != b.trace_id == d.trace_id
    assert first.flush()
    assert {span["name"] for span in receiver.spans.values()} == {"a", "c"}


def test_many_threads_lose_nothing(capture: TraceCapture, receiver: Receiver) -> None:
    with capture.agent("root") as root:

        def work(number: int) -> None:
            with capture.chain(f"chain {number}"), capture.tool(f"tool {number}") as span:
                span.output("x" * 100)

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(capture.carry(work), range(500)))
    assert root.trace_id is not None
    receipt = capture.seal(root.trace_id)
    assert (receipt["state"], receipt["complete"], receipt["accepted_spans"]) == ("accepted", True, 1001)
    found = parents({span["name"]: span for span in receiver.spans.values()})
    assert all(found[f"tool {number}"] == f"chain {number}" for number in range(500))
