"""Tables without lines: aligned text that reads well at a terminal and cuts well in a pipe."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evalrouter_cli.output import is_styled, printable

PIPED_WIDTH = 100_000
"""Columns that a line may have where nobody reads it on a screen, so that no cell is wrapped or cut."""

FIRST_WIDTH = 32
"""Characters that a first column keeps on a line at least: the longest ID, which is there to be copied."""

LEAST_WIDTH = 9
"""Characters that any other column of text keeps on a line at least."""

GAP = 2


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
        The lines, without trailing spaces. Where a terminal is too narrow for the columns, each row is a paragraph.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    widest = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
    least = [
        width if column in numeric else min(width, LEAST_WIDTH if index else FIRST_WIDTH)
        for index, (column, width) in enumerate(zip(columns, widest, strict=True))
    ]
    screen_width = shutil.get_terminal_size().columns if stream.isatty() else PIPED_WIDTH
    room = screen_width - GAP * (len(columns) - 1)
    if sum(least) > room:
        return _paragraphs(columns, cells, screen_width)
    grid = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for column, width in zip(columns, _shrunk(widest, least, room), strict=True):
        grid.add_column(column, justify="right" if column in numeric else "left", width=width, overflow="fold")
    for row in cells:
        grid.add_row(*map(Text, row))
    styled = is_styled(stream)
    paper = StringIO()
    console = Console(
        file=paper,
        width=screen_width,
        force_terminal=styled,
        color_system="auto" if styled else None,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(grid)
    return (line.rstrip() for line in paper.getvalue().splitlines())


def _shrunk(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The widths with the excess over the room taken from whichever column is the widest above its least."""
    shrunk = list(widths)
    for _ in range(sum(widths) - room):
        widest = max(range(len(shrunk)), key=lambda index: (shrunk[index] > least[index], shrunk[index]))
        shrunk[widest] -= 1
    return shrunk


def _paragraphs(columns: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> Iterator[str]:
    """The first cell of each row on a line of its own, whole; below it the others after their headings, wrapped."""
    for row in rows:
        yield row[0]
        named = [f"{column.lower()} {cell}" for column, cell in list(zip(columns, row, strict=True))[1:]]
        yield from textwrap.wrap(
            "; ".join(named), width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )
