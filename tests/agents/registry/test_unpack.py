"""What an archive may not do: leave its folder, link, hold anything but files and folders, or grow without end."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalrouter.agents.registry.unpack import ArchiveError, Limits, archive_kind, place_program, unpack

PRESSES: dict[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tar.gz": gzip.compress,
    "tar.bz2": bz2.compress,
    "tar.xz": lzma.compress,
}
SMALL = Limits(entries=100, total_bytes=1_000_000, ratio=50, ratio_from=200_000)


def member(name: str, **fields: object) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def tar_of(*members: tuple[tarfile.TarInfo, bytes], format: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as archive:
        for info, content in members:
            if content:
                info.size = len(content)
            archive.addfile(info, io.BytesIO(content) if info.isreg() else None)
    return buffer.getvalue()


def zip_of(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def zip_member(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


@pytest.fixture
def refuse(tmp_path: Path) -> Callable[..., str]:
    """Expects an archive to be refused, with nothing outside its folder touched; gives the reason."""

    def run(content: bytes, kind: str, limits: Limits = SMALL) -> str:
        (tmp_path / "inside").mkdir()
        (tmp_path / "secret").write_text("untouched")
        archive = tmp_path / "archive"
        archive.write_bytes(content)
        with pytest.raises(ArchiveError) as caught:
            unpack(archive, kind, tmp_path / "inside", limits)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "inside", "secret"]
        assert (tmp_path / "secret").read_text() == "untouched"
        return str(caught.value)

    return run


@pytest.mark.parametrize("kind", PRESSES)
def test_a_tar_with_files_and_folders_is_unpacked(kind: str, tmp_path: Path) -> None:
    content = tar_of(
        (member("bin", type=tarfile.DIRTYPE, mode=0o777), b""),
        (member("./bin/agent", mode=0o4755), b"#!"),
        (member("deep/er/notes.txt", mode=0o666), b"words" * 100_000),
        (member("empty"), b""),
    )
    (tmp_path / "archive").write_bytes(PRESSES[kind](content))
    (tmp_path / "out").mkdir()

    unpack(tmp_path / "archive", kind, tmp_path / "out")

    assert (tmp_path / "out/deep/er/notes.txt").read_bytes() == b"words" * 100_000
    assert (tmp_path / "out/empty").read_bytes() == b""
    assert stat.S_IMODE((tmp_path / "out/bin/agent").stat().st_mode) & ~0o022 == 0o755
    assert not os.access(tmp_path / "out/deep/er/notes.txt", os.X_OK)


def test_a_zip_with_files_and_folders_is_unpacked(tmp_path: Path) -> None:
    content = zip_of((zip_member("agent", 0o100755), b"#!"), ("lib/", b""), ("lib/data", b"1" * 1000))
    (tmp_path / "archive").write_bytes(content)
    (tmp_path / "out").mkdir()

    unpack(tmp_path / "archive", "zip", tmp_path / "out")

    assert os.access(tmp_path / "out/agent", os.X_OK)
    assert (tmp_path / "out/lib/data").read_bytes() == b"1" * 1000


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/evil", "a/../../secret", "a\\..\\secret", "C:/evil", "a/" * 65 + "a"]
)
def test_a_name_that_leads_outside_is_refused(name: str, refuse: Callable[..., str]) -> None:
    assert "entry" in refuse(tar_of((member(name), b"x")), "tar")


@pytest.mark.parametrize("name", ["../secret", "/etc/evil", "a/../../secret", "C:/evil"])
def test_a_name_in_a_zip_that_leads_outside_is_refused(name: str, refuse: Callable[..., str]) -> None:
    assert "not a path inside" in refuse(zip_of((name, b"x")), "zip")


@pytest.mark.parametrize(
    "info",
    [
        member("a", type=tarfile.SYMTYPE, linkname=".."),
        member("a", type=tarfile.SYMTYPE, linkname="b"),
        member("a", type=tarfile.LNKTYPE, linkname="../secret"),
        member("a", type=tarfile.CHRTYPE, devmajor=1, devminor=5),
        member("a", type=tarfile.BLKTYPE, devmajor=8),
        member("a", type=tarfile.FIFOTYPE),
    ],
    ids=["symlink-out", "symlink-in", "hardlink", "character-device", "block-device", "fifo"],
)
@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_links_and_special_files_are_refused(info: tarfile.TarInfo, kind: str, refuse: Callable[..., str]) -> None:
    content = tar_of((info, b""), (member("a/secret"), b"written through"))
    assert "link or a special file" in refuse(PRESSES[kind](content), kind)


@pytest.mark.parametrize("form", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_special_files_in_a_zip_are_refused(form: int, refuse: Callable[..., str]) -> None:
    content = zip_of((zip_member("a", form | 0o777), b"../secret"), ("a/secret", b"x"))
    assert "link or a special file" in refuse(content, "zip")


def test_a_file_that_comes_twice_is_refused(refuse: Callable[..., str]) -> None:
    refuse(tar_of((member("a"), b"1"), (member("a"), b"2")), "tar")


def test_a_sparse_file_is_refused(refuse: Callable[..., str]) -> None:
    info = member("a", pax_headers={"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1" * 15})
    refuse(tar_of((info, b"1\n0\n1\n" + b"\0" * 1018)), "tar")


def test_a_declared_size_beyond_all_bounds_is_refused_before_it_is_read(refuse: Callable[..., str]) -> None:
    info = member("a", size=1 << 50)
    assert "unpacks to more" in refuse(info.tobuf(tarfile.GNU_FORMAT), "tar")


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "tar.xz"])
def test_a_small_archive_that_unpacks_to_much_is_refused(kind: str, refuse: Callable[..., str]) -> None:
    assert "unpacks to more" in refuse(PRESSES[kind](tar_of((member("a"), bytes(900_000)))), kind)


def test_a_small_zip_that_unpacks_to_much_is_refused(refuse: Callable[..., str]) -> None:
    assert "unpacks to more" in refuse(zip_of(("a", bytes(900_000))), "zip")


def test_a_zip_that_lies_about_its_sizes_is_refused(refuse: Callable[..., str]) -> None:
    content = bytearray(zip_of(("a", bytes(900_000))))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(signature) + offset
        content[at : at + 4] = (10).to_bytes(4, "little")
    refuse(bytes(content), "zip")


def test_what_follows_the_last_entry_counts_too(refuse: Callable[..., str]) -> None:
    content = gzip.compress(tar_of((member("a"), b"x")) + bytes(30_000_000))
    assert "unpacks to more" in refuse(content, "tar.gz")


def test_a_header_that_would_fill_the_memory_is_refused(refuse: Callable[..., str]) -> None:
    info = member("x", type=tarfile.XHDTYPE, size=8 * 1024 * 1024)
    content = gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(8 * 1024 * 1024))
    assert "header" in refuse(content, "tar.gz", Limits(total_bytes=1 << 30, ratio_from=1 << 30))


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_too_many_files_are_refused_early(kind: str, refuse: Callable[..., str]) -> None:
    if kind == "zip":
        end = b"PK\x05\x06" + bytes(4) + b"\xff\xff" * 2 + b"\xff\xff\xff\xff" * 2 + bytes(2)
        assert "more than 50,000 files" in refuse(zip_of(("a", b""))[:-22] + end, "zip", Limits())
        return
    header = member("d/", type=tarfile.DIRTYPE).tobuf(tarfile.GNU_FORMAT)
    content = gzip.compress(header * 60_000, compresslevel=1)
    assert "more than 50,000 files" in refuse(content, kind, Limits())


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_an_archive_that_was_cut_off_is_refused(kind: str, refuse: Callable[..., str]) -> None:
    noise = os.urandom(50_000)
    whole = zip_of(("a", noise)) if kind == "zip" else PRESSES[kind](tar_of((member("a"), noise)))
    assert "broken" in refuse(whole[:-100], kind)


def test_an_encrypted_zip_is_refused(refuse: Callable[..., str]) -> None:
    content = bytearray(zip_of(("a", b"x")))
    content[content.index(b"PK\x03\x04") + 6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    refuse(bytes(content), "zip")


@given(content=st.binary(max_size=3000), kind=st.sampled_from(["zip", *PRESSES]), frame=st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_anything_is_unpacked_or_refused(
    content: bytes, kind: str, frame: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    archive = folder / "archive"
    archive.write_bytes(PRESSES[kind](content) if frame and kind in PRESSES else content)
    (folder / "out").mkdir()
    with contextlib.suppress(ArchiveError):
        unpack(archive, kind, folder / "out", SMALL)
    assert sorted(path.name for path in folder.iterdir()) == ["archive", "out"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.ZIP", "zip"), ("a-1.2.tar.gz", "tar.gz"), ("a.tgz", "tar.gz"), ("a.tar.xz", "tar.xz"), ("agent-1.2", None)],
)
def test_kinds_are_told_by_name(name: str, kind: str | None) -> None:
    assert archive_kind(name) == kind


def test_a_plain_program_is_placed_executable_and_inside(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"#!")
    place_program(tmp_path / "program", "./bin/agent", tmp_path / "out")
    assert os.access(tmp_path / "out/bin/agent", os.X_OK)
    with pytest.raises(ArchiveError, match="not a path inside"):
        place_program(tmp_path / "program", "../agent", tmp_path / "out")
