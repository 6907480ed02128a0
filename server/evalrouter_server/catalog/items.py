"""Items, the rows of a benchmark."""

from dataclasses import asdict, dataclass

from pydantic import JsonValue

from evalrouter_server.ids import derived_id


@dataclass(frozen=True, slots=True)
class Recorded:
    """The answer that an item came with, because an agent gave it before the item was made.

    Attributes:
        trace_id: The server's ID of the trace that it was taken from.
        source_trace_id: The trace's ID where it was recorded.
        output: The answer's text; None where there is none to grade.
        missing_code: Why there is none; None where there is one.
        missing: The same in words.
        seconds: What the trace took; None where it is not known.
        tokens: Input and output tokens that the source reports; None where it reports none.
        cost_usd: USD that the source reports, as a decimal; None where it reports none.
        complete: Whether the trace was sealed and complete when the item was made.
    """

    trace_id: str
    source_trace_id: str
    output: str | None
    missing_code: str | None
    missing: str | None
    seconds: float | None
    tokens: int | None
    cost_usd: str | None
    complete: bool

    def document(self) -> dict[str, JsonValue]:
        """It as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Item:
    """One row of a benchmark.

    Attributes:
        id: Its stable ID, the same on every machine.
        index: Its place in the benchmark, from 0.
        inputs: What a prompt is made of, by name.
        target: What the grader compares with; never shown to a model or an agent.
        group: The benchmark's own group, where it has groups.
        examples: The inputs of each example that its prompt shows.
        recorded: The answer that it came with; None for an item that is only a question.
    """

    id: str
    index: int
    inputs: dict[str, JsonValue]
    target: dict[str, JsonValue]
    group: str | None = None
    examples: tuple[dict[str, JsonValue], ...] = ()
    recorded: Recorded | None = None


def item_id(slug: str, version: str, index: int) -> str:
    """The ID of a benchmark version's row, derived from its place; the content digest pins what stands there."""
    return derived_id("item", slug, version, str(index))
