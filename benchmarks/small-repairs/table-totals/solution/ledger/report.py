"""Tables of sales."""

from decimal import Decimal

COLUMNS = ("region", "product", "amount")


def table(rows: list[dict[str, str]], by: str) -> str:
    """The rows as a table, grouped by a column, with totals.

    Args:
        rows: Each with the cells of `COLUMNS`.
        by: `region` or `product`.

    Raises:
        ValueError: There is no such column to group by.
    """
    if by not in COLUMNS[:-1]:
        raise ValueError(f"{by!r} is not a column to group by")
    cells = [list(COLUMNS)]
    for value in dict.fromkeys(row[by] for row in rows):
        group = [row for row in rows if row[by] == value]
        cells += [[row["region"], row["product"], f"{amount(row['amount']):.2f}"] for row in group]
        cells.append(_total(value, group))
    cells.append(_total("all", rows))
    widths = [max(len(line[place]) for line in cells) for place in range(len(COLUMNS))]
    return "\n".join(_line(line, widths) for line in cells)


def amount(text: str) -> Decimal:
    """An amount as a number."""
    return Decimal(text)


def _total(value: str, rows: list[dict[str, str]]) -> list[str]:
    total = sum((amount(row["amount"]) for row in rows), Decimal(0))
    return [f"= {value}", "", f"{total:.2f}"]


def _line(cells: list[str], widths: list[int]) -> str:
    *texts, last = cells
    left = [text.ljust(width) for text, width in zip(texts, widths, strict=False)]
    return "  ".join([*left, last.rjust(widths[-1])]).rstrip()
