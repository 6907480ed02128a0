"""Examples: which of them each item's prompt shows."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import JsonValue

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import DrawnExamples, FirstExamples, ListedExamples, Selection

type Example = dict[str, JsonValue]


def with_examples(
    selection: Selection, items: Sequence[Item], examples: Sequence[tuple[Example, str | None]]
) -> list[Item]:
    """The items, each with the examples that its prompt shows.

    Args:
        selection: Which ones they are.
        items: The items, in the benchmark's order.
        examples: All examples with their groups, in the order of their source.

    Raises:
        ValueError: There are not enough examples.
    """
    inputs = [example for example, _ in examples]
    if isinstance(selection, DrawnExamples):
        chosen = _drawn(selection, len(items), inputs)
        return [replace(item, examples=shown) for item, shown in zip(items, chosen, strict=True)]
    if isinstance(selection, ListedExamples):
        if max(selection.rows) >= len(inputs):
            raise ValueError(f"there are {len(inputs)} examples, and the protocol lists number {max(selection.rows)}")
        listed = tuple(inputs[row] for row in selection.rows)
        return [replace(item, examples=listed) for item in items]
    first = _first(selection, examples)
    return [replace(item, examples=_of_group(first, item)) for item in items]


def _drawn(selection: DrawnExamples, count: int, inputs: Sequence[Example]) -> Iterator[tuple[Example, ...]]:
    if selection.count > len(inputs):
        raise ValueError(f"there are {len(inputs)} examples, and the protocol shows {selection.count}")
    generator = random.Random(selection.seed)  # noqa: S311 - the generator is part of the protocol
    return (tuple(inputs[row] for row in generator.sample(range(len(inputs)), selection.count)) for _ in range(count))


def _first(
    selection: FirstExamples, examples: Sequence[tuple[Example, str | None]]
) -> dict[str | None, tuple[Example, ...]]:
    by_group: defaultdict[str | None, list[Example]] = defaultdict(list)
    for example, group in examples:
        by_group[group].append(example)
    for group, members in by_group.items():
        if len(members) < selection.count:
            where = "" if group is None else f" of {group}"
            raise ValueError(f"there are {len(members)} examples{where}, and the protocol shows {selection.count}")
    return {group: tuple(members[: selection.count]) for group, members in by_group.items()}


def _of_group(first: dict[str | None, tuple[Example, ...]], item: Item) -> tuple[Example, ...]:
    shown = first.get(None) or first.get(item.group)
    if shown is None:
        raise ValueError(f"there are no examples of {item.group}")
    return shown
