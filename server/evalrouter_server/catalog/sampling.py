"""Seeded samples: a pure function of benchmark version, count and seed, the same on every machine.

Items are ordered by the sha256 of `slug@version:seed:item_id`; a sample is the first of them. So a larger sample of the
same seed contains the smaller one, and no random generator whose algorithm could change is involved.

A stratified sample takes from each group in proportion to its size. Rounding each count by itself, as the method of the
largest remainder does, is not nested: a larger sample may give a group one item less. So groups take turns instead, in
one order for all counts, such that at every count each group has its exact share rounded down or up: a group may take
its next item once its share exceeds what it has, and of those that may, the one goes first that must have its next item
soonest (R. Tijdeman, The chairman assignment problem, Discrete Mathematics 32, 1980).
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from evalrouter_server.catalog.items import Item

type Stratify = Literal["group"]
"""What a stratified sample is drawn in proportion to."""


def sample_order(reference: str, items: Iterable[Item], seed: int, stratify: Stratify | None = None) -> list[Item]:
    """All items in the order in which samples of this seed take them.

    Args:
        reference: The benchmark as `slug@version`.
        items: Its items.
        seed: The seed.
        stratify: Whether the groups take turns in proportion to their sizes.
    """
    ordered = sorted(items, key=lambda item: hashlib.sha256(f"{reference}:{seed}:{item.id}".encode()).digest())
    if stratify is None:
        return ordered
    by_group: defaultdict[str, list[Item]] = defaultdict(list)
    for item in ordered:
        by_group[item.group or ""].append(item)
    left = {group: iter(members) for group, members in by_group.items()}
    sizes = {group: len(by_group[group]) for group in sorted(by_group)}
    return [next(left[group]) for group in turns(sizes)]


def draw_sample(
    reference: str, items: Sequence[Item], *, count: int, seed: int, stratify: Stratify | None = None
) -> list[Item]:
    """A sample, in the benchmark's order.

    Args:
        reference: The benchmark as `slug@version`.
        items: Its items.
        count: How many to draw.
        seed: The seed.
        stratify: Whether each group is drawn from in proportion to its size.

    Raises:
        ValueError: The benchmark does not have that many items, or fewer than one is asked for.
    """
    if not 1 <= count <= len(items):
        raise ValueError(f"a sample of {reference} has 1 to {len(items):,} items, not {count:,}")
    return sorted(sample_order(reference, items, seed, stratify)[:count], key=lambda item: item.index)


def turns(sizes: Mapping[str, int]) -> Iterator[str]:
    """The groups in the order in which they give an item each; of equals the first in `sizes` goes first.

    Args:
        sizes: How many items each group has.

    Yields:
        Each group as often as it has items. Of any first n, a group has n times its size over the total, rounded down
        or up.
    """
    total = sum(sizes.values())
    taken = dict.fromkeys(sizes, 0)
    for count in range(1, total + 1):
        due = [group for group, size in sizes.items() if taken[group] * total < count * size]
        group = min(due, key=lambda group: -(-(taken[group] + 1) * total // sizes[group]))
        taken[group] += 1
        yield group
