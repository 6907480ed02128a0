"""Items, the rows of a benchmark."""

from dataclasses import dataclass

from pydantic import JsonValue

from evalrouter_server.ids import derived_id


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
    """

    id: str
    index: int
    inputs: dict[str, JsonValue]
    target: dict[str, JsonValue]
    group: str | None = None
    examples: tuple[dict[str, JsonValue], ...] = ()


def item_id(slug: str, version: str, index: int) -> str:
    """The ID of a benchmark version's row, derived from its place; the content digest pins what stands there."""
    return derived_id("item", slug, version, str(index))
