"""Where the shared real data lies, for tests that need it; they skip with a reason where it is missing."""

import os
from pathlib import Path

import pytest

_folder = Path(os.environ.get("EVALROUTER_SHARED", Path(__file__).resolve().parents[2] / "shared"))

SHARED: Path | None = _folder if (_folder / "data" / "SOURCES.txt").is_file() else None

needs_shared = pytest.mark.skipif(SHARED is None, reason="the shared data folder is not beside this checkout")


def shared(*parts: str) -> Path:
    """A path inside the shared data folder; skips the calling test where the folder is missing."""
    if SHARED is None:
        pytest.skip("the shared data folder is not beside this checkout")
    return SHARED.joinpath(*parts)
