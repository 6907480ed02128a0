"""Tables without lines: aligned text that reads well at a terminal and cuts well in a pipe."""

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evalrouter_cli.output import is_styled, printable

PIPED_WIDTH = 100_000
"""Columns that a line may have where nobody reads it on a screen, so that no cell is wrapped or cut."""


def render(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Sequence[str], stream: TextIO
) -> Iterator[str]:
    """Render a table as lines.

    Args:
        columns: The headings.
        rows: The cells, as many as there are columns.
        numeric: The headings of the columns that are aligned to the right and never wrapped.
        stream: Where the lines will be written; its terminal decides on width and style.

    Yields:
        The lines, without trailing spaces.
    """
    grid = Table(box=None, pad_edge=False, show_edge=False, header_style="bold")
    for column in columns:
        is_number = column in numeric
        grid.add_column(column, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(printable(cell)) for cell in row))
    styled = is_styled(stream)
    paper = StringIO()
    console = Console(
        file=paper,
        width=None if stream.isatty() else PIPED_WIDTH,
        force_terminal=styled,
        color_system="auto" if styled else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(grid)
    return (line.rstrip() for line in paper.getvalue().splitlines())
