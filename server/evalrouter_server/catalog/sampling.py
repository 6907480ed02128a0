"""Seeded samples: a pure function of benchmark version, count and seed, the same on every machine.

Items are ordered by the sha256 of `slug@version:seed:item_id`; a sample is the first of them. So a larger sample of the
same seed contains the smaller one, and no random generator whose algorithm could change is involved.
"""

import hashlib
from collections.abc import Iterable, Sequence

from evalrouter_server.catalog.items import Item


def sample_order(reference: str, items: Iterable[Item], seed: int) -> list[Item]:
    """All items in the order in which samples of this seed take them.

    Args:
        reference: The benchmark as `slug@version`.
        items: Its items.
        seed: The seed.
    """
    return sorted(items, key=lambda item: hashlib.sha256(f"{reference}:{seed}:{item.id}".encode()).digest())


def draw_sample(reference: str, items: Sequence[Item], *, count: int, seed: int) -> list[Item]:
    """A sample, in the benchmark's order.

    Args:
        reference: The benchmark as `slug@version`.
        items: Its items.
        count: How many to draw.
        seed: The seed.

    Raises:
        ValueError: The benchmark does not have that many items, or fewer than one is asked for.
    """
    if not 1 <= count <= len(items):
        raise ValueError(f"a sample of {reference} has 1 to {len(items):,} items, not {count:,}")
    return sorted(sample_order(reference, items, seed)[:count], key=lambda item: item.index)
