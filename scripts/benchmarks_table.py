"""Writes the table of the shipped benchmarks into docs/benchmarks.md, between its two marks."""

from __future__ import annotations

from pathlib import Path

from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.manifest import Manifest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- table of scripts/benchmarks_table.py: begin -->\n", "<!-- end -->\n"


def table() -> str:
    """The table and, below it, each protocol in words."""
    manifests = Benchmarks.shipped().native()
    head = "| benchmark | tasks | groups | licence of the data | grader | output tokens | data from |\n"
    lines = "".join(_row(manifest) for manifest in manifests)
    words = "".join(f"- **{each.reference}**: {each.protocol.description.strip()}\n" for each in manifests)
    return f"{head}|---|--:|--:|---|---|--:|---|\n{lines}\n{words}"


def _row(manifest: Manifest) -> str:
    parts = [manifest.sources, *([manifest.examples.sources] if manifest.examples else [])]
    places = " + ".join(" or ".join(sorted({source.kind for source in sources})) for sources in parts)
    groups = str(len(manifest.groups) or "")
    cells = [manifest.reference, f"{manifest.item_count:,}", groups, manifest.licence, manifest.grader.kind]
    return f"| {' | '.join(cells)} | {manifest.limits.max_output_tokens:,} | {places} |\n"


def with_table(page: str) -> str:
    """The page with a fresh table."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
