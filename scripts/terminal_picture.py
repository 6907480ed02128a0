"""Draw what a command really shows at a terminal, its progress bar as it stood at the end, into an SVG file.

python scripts/terminal_picture.py docs/images/run.svg evalrouter run first-steps --model smollm2-135m --new
"""

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

COLUMNS = 100
ROWS = 30
WITHOUT_FETCHED_FONTS = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""Rich's picture, less the fonts that it would have a reader's browser fetch."""


def run_at_terminal(command: list[str]) -> str:
    """Run a command at a pseudo-terminal.

    Args:
        command: The program and its arguments.

    Returns:
        Everything that it wrote, control sequences included.

    Raises:
        subprocess.CalledProcessError: It failed.
    """
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment) as process:
        os.close(terminal)
        written = bytearray()
        while part := _read(controller):
            written += part
    os.close(controller)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return written.decode()


def as_shown(written: str) -> str:
    """What stands on the terminal in the end: of a line that was drawn again and again, the last drawing."""
    lines = (line.rstrip("\r") for line in written.split("\n"))
    drawn = (re.split(r"\r(?:\x1b\[2K)?", line)[-1] for line in lines)
    return "\n".join(re.sub(r"\x1b\[\?25[lh]", "", line) for line in drawn).rstrip()


def draw(command: list[str], shown: str, target: Path) -> None:
    """Write the picture.

    Args:
        command: What was run.
        shown: What the terminal showed.
        target: The SVG file.
    """
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text(f"$ {shlex.join(command)}", style="bold"), soft_wrap=True)
        console.print(Text.from_ansi(shown))
        picture = console.export_svg(title="EvalRouter", code_format=WITHOUT_FETCHED_FONTS, unique_id="run")
    target.write_text("".join(f"{line.rstrip()}\n" for line in picture.splitlines()), encoding="utf-8")


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:  # how Linux says that nobody holds the other end any more
        return b""


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    draw(sys.argv[2:], as_shown(run_at_terminal(sys.argv[2:])), Path(sys.argv[1]))
