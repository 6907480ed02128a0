"""Spans as a tree, flattened."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A span's place.

    Attributes:
        started_ns: Nanoseconds since 1970.
    """

    span_id: str
    parent_span_id: str | None
    started_ns: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A span in the order of the tree.

    Attributes:
        depth: 0 for a root.
        parent_missing: Whether it names a parent that is not there, or stands in a circle of parents.
    """

    span_id: str
    depth: int
    parent_missing: bool


def in_tree_order(nodes: Iterable[Node]) -> list[Placed]:
    """Each span after its parent, children by start and then ID.

    A span whose parent is not there is a root. Of spans that are each other's parents the first to start is one, so
    that every span comes exactly once.

    Args:
        nodes: The spans of a trace, each ID once.
    """
    ordered = sorted(nodes, key=lambda node: (node.started_ns, node.span_id))
    there = {node.span_id for node in ordered}
    children: dict[str, list[Node]] = {}
    roots = []
    for node in ordered:
        if node.parent_span_id in there:
            children.setdefault(str(node.parent_span_id), []).append(node)
        else:
            roots.append(node)
    placed: list[Placed] = []
    seen: set[str] = set()

    def walk(root: Node) -> None:
        waiting = [(root, 0)]
        while waiting:
            node, depth = waiting.pop()
            if node.span_id in seen:
                continue
            seen.add(node.span_id)
            placed.append(Placed(node.span_id, depth, depth == 0 and node.parent_span_id is not None))
            waiting.extend((child, depth + 1) for child in reversed(children.get(node.span_id, ())))

    for node in (*roots, *ordered):
        if node.span_id not in seen:
            walk(node)
    return placed
