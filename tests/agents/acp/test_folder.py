import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from evalrouter.agents.acp import folder as module
from evalrouter.agents.acp.folder import Folder, OutsideFolderError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder, which stands beside a file that is none of its business."""
    (tmp_path / "secret").write_text("private")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def folder(root: Path) -> Iterator[Folder]:
    opened = Folder(root)
    yield opened
    opened.close()


def test_files_are_written_with_their_folders_and_read_back(folder: Folder, root: Path) -> None:
    folder.write(f"{root}/a/b/c.txt", b"longer than what comes next")
    folder.write("a/b/c.txt", b"next")
    assert folder.read(f"{root}/a/./b/c.txt") == b"next"
    assert (root / "a/b/c.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret", "a/../../secret", "", ".", "/", "a\0b", "{root}x/file"])
def test_paths_that_lead_out_are_refused(folder: Folder, root: Path, path: str) -> None:
    path = path.replace("{root}", str(root))
    with pytest.raises(OutsideFolderError):
        folder.write(path, b"owned")
    with pytest.raises(OutsideFolderError):
        folder.read(path)


def test_links_are_not_followed_wherever_they_stand(folder: Folder, root: Path) -> None:
    (root / "folder").symlink_to(root.parent)
    (root / "file").symlink_to(root.parent / "secret")
    (root / "dangling").symlink_to(root.parent / "new")
    for path in ("folder/secret", "file", "dangling", "folder/new"):
        with pytest.raises(OutsideFolderError):
            folder.write(path, b"owned")
        with pytest.raises(OutsideFolderError):
            folder.read(path)
    with pytest.raises(OutsideFolderError):
        folder.open_folder("folder")
    assert not folder.holds("folder/secret")
    assert not folder.holds(f"{root}/file")
    assert folder.holds("plain/file")
    assert {path.name for path in root.parent.iterdir()} == {"secret", "work"}
    assert (root.parent / "secret").read_text() == "private"


def test_what_is_no_file_is_neither_read_nor_waited_for(folder: Folder, root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()
    for path in ("pipe", "folder"):
        with pytest.raises(OutsideFolderError):
            folder.read(path)
        with pytest.raises(OutsideFolderError):
            folder.write(path, b"")


def test_size_is_bounded(folder: Folder, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_BYTES", 10)
    (root / "large").write_bytes(b"x" * 11)
    with pytest.raises(OutsideFolderError, match="larger than 10 bytes"):
        folder.read("large")
    with pytest.raises(OutsideFolderError, match="larger than 10 bytes"):
        folder.write("new", b"x" * 11)


def test_a_folder_that_turns_into_a_link_and_back_lets_nothing_out(folder: Folder, root: Path) -> None:
    """Renames a folder and a link over each other while files are written and read through the name."""
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("private")
    (root / "real").mkdir()
    (root / "link").symlink_to(outside)
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            for name in ("real", "link"):
                with suppress(OSError):
                    os.rename(root / name, root / "name")  # noqa: PTH104
                    os.rename(root / "name", root / name)  # noqa: PTH104

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        read = set()
        for _ in range(3000):
            with suppress(OSError, OutsideFolderError):
                folder.write("name/file", b"mine")
            with suppress(OSError, OutsideFolderError):
                read.add(folder.read("name/file"))
    finally:
        over.set()
        swapping.join()
    assert read <= {b"mine", b""}
    assert (outside / "file").read_text() == "private"
