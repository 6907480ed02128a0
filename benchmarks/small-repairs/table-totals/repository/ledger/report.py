"""Tables of sales."""

from decimal import Decimal

COLUMNS = ("region", "product", "amount")


def table(rows: list[dict[str, str]], by: str) -> str:
    """The rows as a table, grouped by a column.

    Args:
        rows: Each with the cells of `COLUMNS`.
        by: `region` or `product`.

    Raises:
        ValueError: There is no such column to group by.
    """
    if by not in COLUMNS[:-1]:
        raise ValueError(f"{by!r} is not a column to group by")
    ordered = sorted(rows, key=lambda row: row[by])
    cells = [list(COLUMNS), *([row[name] for name in COLUMNS] for row in ordered)]
    return "\n".join("  ".join(line) for line in cells)


def amount(text: str) -> Decimal:
    """An amount as a number."""
    return Decimal(text)
