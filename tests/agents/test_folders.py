import os
import tempfile
from pathlib import Path

import pytest

from evalrouter.agents.folders import remove_folder

NOBODY = 65534


def lock(parent: Path) -> Path:
    """A folder with locked folders in it, a link out of it, and a file that nobody may write."""
    root = parent / "root"
    (root / "locked/deep/deeper").mkdir(parents=True)
    (root / "locked/deep/deeper/file").write_text("x")
    (parent / "outside").mkdir()
    (parent / "outside/file").write_text("x")
    (root / "locked/link").symlink_to(parent / "outside")
    paths = [root / name for name in ("locked/deep/deeper", "locked/deep", "locked", ".")]
    if os.getuid() == 0:
        for path in [parent, *parent.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    for path in paths:
        path.chmod(0)
    return root


def test_locked_folders_go_and_links_are_not_followed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        parent = Path(folder)
        root, before = lock(parent), parent.stat().st_mode
        if os.getuid() == 0:
            remove_as_nobody(root)
        else:
            remove_folder(root)
        assert sorted(path.name for path in parent.iterdir()) == ["outside"]
        assert (parent / "outside/file").exists()
        assert parent.stat().st_mode == before


def remove_as_nobody(path: Path) -> None:
    """As somebody whom locks stop."""
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            remove_folder(path)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def test_what_cannot_be_removed_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root").mkdir()
    monkeypatch.setattr("os.rmdir", lambda *_, **__: (_ for _ in ()).throw(PermissionError("no")))
    remove_folder(tmp_path / "root")
    assert (tmp_path / "root").exists()
