"""The product with the real harnesses."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from evalrouter import EvalRouter
from tests.shared_data import shared


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EvalRouter]:
    """The product with the shared data at hand; environments and listings are kept between runs of these tests."""
    data_dir, mirror = tmp_path / "data", tmp_path / "mirror"
    data_dir.mkdir()
    mirror.mkdir()
    kept = Path(os.environ.get("EVALROUTER_SOAK_CACHE") or user_cache_path("evalrouter-soak"))
    kept.mkdir(parents=True, exist_ok=True)
    (data_dir / "cache").symlink_to(kept)
    for path in (shared("data", "gsm8k", "test.jsonl"), *sorted(shared("data", "bbh").glob("*.json"))):
        data = path.read_bytes()
        (mirror / hashlib.sha256(data).hexdigest()).write_bytes(data)
    monkeypatch.setenv("EVALROUTER_MIRROR", str(mirror))
    monkeypatch.setenv("EVALROUTER_DATA_DIR", str(data_dir))
    monkeypatch.delenv("EVALROUTER_BASE_URL", raising=False)
    monkeypatch.delenv("EVALROUTER_API_KEY", raising=False)
    with EvalRouter(timeout=1800) as opened:
        yield opened
