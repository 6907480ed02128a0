"""The page of benchmarks shows those that ship."""

from scripts.benchmarks_table import PAGE, with_table


def test_the_table_is_that_of_the_manifests() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_table(page) == page, "write the table again with: .venv/bin/python scripts/benchmarks_table.py"
