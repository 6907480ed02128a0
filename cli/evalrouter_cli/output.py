"""Where output goes: documents and tables to stdout, everything else to stderr; plain text when piped."""

import io
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO


def prepare_streams() -> None:
    """Make writing text that the terminal's encoding lacks, or to a stream that is closed, harmless."""
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard_further_output() -> None:
    """Send what is still buffered nowhere, after stdout took no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def is_styled(stream: TextIO) -> bool:
    """Whether colour and bold may be used: a terminal, and the user did not opt out (`NO_COLOR`, `TERM=dumb`)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_screen(stream: TextIO) -> bool:
    """Whether what was written can be drawn over: a terminal that is not a dumb one."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def may_ask() -> bool:
    """Whether there is someone to answer a question."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def say(text: str = "") -> None:
    """Write one line of the command's result to stdout."""
    print(text)


def note(text: str) -> None:
    """Write one line about what is going on to stderr."""
    print(text, file=sys.stderr, flush=True)


def document(value: Mapping[str, Any]) -> None:
    """Write one JSON document to stdout.

    A lone surrogate is escaped by the stream's error handler, which is what JSON would write for it.
    """
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    import json

    print(json.dumps(value, indent=2, ensure_ascii=not is_unicode, allow_nan=False))


def printable(text: str) -> str:
    """The text in one line, with control characters made visible, so that foreign text cannot steer a terminal."""
    return "".join(_visible(char) for char in text)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numeric: Sequence[str] = ()) -> None:
    """Write an aligned table to stdout; cells are never cut, at a terminal long ones are wrapped.

    Args:
        columns: The headings.
        rows: The cells, as many as there are columns.
        numeric: The headings of the columns that are aligned to the right and never wrapped.
    """
    from evalrouter_cli.tables import render

    for line in render(columns, rows, numeric=numeric, stream=sys.stdout):
        print(line)


def details(pairs: Iterable[tuple[str, str]]) -> None:
    """Write labels and values to stdout, the values aligned under one another and wrapped at a terminal's width."""
    listed = list(pairs)
    width = max((len(label) for label, _ in listed), default=0)
    for label, value in listed:
        first, *others = [part for line in value.splitlines() for part in _wrapped(line, width + 2)] or [""]
        print(f"{label:<{width}}  {first}".rstrip())
        for other in others:
            print(f"{'':<{width}}  {other}".rstrip())


def _wrapped(line: str, indent: int) -> list[str]:
    if not sys.stdout.isatty():
        return [line]
    room = max(20, shutil.get_terminal_size().columns - indent)
    return textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False) or [""]


def _visible(char: str) -> str:
    if char in "\n\r\t":
        return " "
    if char.isprintable():
        return char
    return char.encode("unicode_escape").decode("ascii")
