"""Stand-ins for the programs of other people's machines."""

import sys
from pathlib import Path


def program(path: Path, body: str) -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def python(path: Path, minor: int, implementation: str = "cpython") -> Path:
    """Write a stand-in for a Python 3.`minor` with nothing but the interpreter: no ensurepip, no venv.

    It answers questions (`-c`, with or without `-I`) by the Python of this test, told to call itself another.
    """
    claim = (
        f"import sys; sys.version_info = (3, {minor}, 0, 'final', 0); sys.implementation.name = '{implementation}'; "
        f"sys._base_executable = '{path}'; sys.modules['ensurepip'] = None; exec(sys.argv[1])"
    )
    return program(
        path, f'if [ "$1" = -I ]; then shift; fi\n[ "$1" = -c ] && exec "{sys.executable}" -I -c "{claim}" "$2"\nexit 1'
    )
