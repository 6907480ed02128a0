"""Items, the rows of a benchmark, and their stable IDs."""

import hashlib
from dataclasses import dataclass

from pydantic import JsonValue
from ulid import ULID


@dataclass(frozen=True, slots=True)
class Item:
    """One row of a benchmark.

    Attributes:
        id: Its stable ID, the same on every machine.
        index: Its place in the benchmark, from 0.
        inputs: What a prompt is made of, by name.
        target: What the grader compares with; never shown to a model or an agent.
        group: The benchmark's own group, where it has groups.
    """

    id: str
    index: int
    inputs: dict[str, JsonValue]
    target: dict[str, JsonValue]
    group: str | None = None


def benchmark_id(slug: str, version: str) -> str:
    """The ID of a benchmark's version, derived from its name."""
    return f"bench_{_derived(f'{slug}@{version}')}"


def item_id(slug: str, version: str, index: int) -> str:
    """The ID of a benchmark version's row, derived from its place; the content digest pins what stands there."""
    return f"item_{_derived(f'{slug}@{version}#{index}')}"


def _derived(name: str) -> str:
    """The first 128 bits of the name's sha256 in the form of a lowercase ULID."""
    return str(ULID.from_bytes(hashlib.sha256(name.encode()).digest()[:16])).lower()
