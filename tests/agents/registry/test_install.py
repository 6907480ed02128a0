"""Installing: verified before it is unpacked, whole or not at all, once however many ask, and clear where it fails."""

import hashlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import pytest

from evalrouter.agents.agent import silent
from evalrouter.agents.registry.entries import Binary, Entry, Package, this_platform
from evalrouter.agents.registry.install import install, installed
from evalrouter.agents.registry.npm import install_npm
from evalrouter.agents.registry.recipes import RECIPES
from evalrouter.agents.registry.store import AgentStore, Installed
from evalrouter.agents.registry.tools import AgentInstallError, run_tool
from tests.agents.registry.conftest import Host

PROGRAM = b"#!/bin/sh\necho hello\n"

posix_only = pytest.mark.skipif(os.name != "posix", reason="shell scripts stand in for the installers")


def archive(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as opened:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            opened.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def entry_of(host: Host, path: str, content: bytes, sha256: str | None = "right", command: str = "./agent") -> Entry:
    host.files[path] = content
    digest = hashlib.sha256(content).hexdigest() if sha256 == "right" else sha256
    binary = Binary(this_platform(), host.address + path, digest, command, ("acp",), {"A": "1"})
    return Entry("agent", "Agent", "1.2.3", binaries=(binary,))


def nothing_of(store: AgentStore, entry: Entry) -> bool:
    left = [path for path in (store.folder / entry.id).iterdir() if path.suffix != ".lock"]
    return installed(entry, store) is None and left == []


def test_a_verified_archive_is_installed_once(host: Host, store: AgentStore) -> None:
    entry = entry_of(host, "/v1/agent.tar.gz", archive(agent=PROGRAM, notes=b"x"))
    said: list[str] = []

    first = install(entry, store, said.append)
    second = install(entry, store, said.append)

    assert first == second == installed(entry, store)
    assert subprocess.run(first.argv, capture_output=True, check=True).stdout == b"hello\n"
    assert first.hash == f"sha256:{entry.binaries[0].sha256}"
    assert host.asked == ["/v1/agent.tar.gz"]
    assert said == [f"Fetching {host.address}/v1/agent.tar.gz"]


def test_a_zip_and_a_plain_program_are_installed(host: Host, store: AgentStore) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        opened.writestr("bin/agent", PROGRAM)
    zipped = install(entry_of(host, "/a.zip", buffer.getvalue(), command="bin/agent"), store)
    plain = install(entry_of(host, "/agent-1.2.3", PROGRAM), store)
    for found in (zipped, plain):
        assert subprocess.run(found.argv, capture_output=True, check=True).stdout == b"hello\n"


def test_another_content_than_was_published_is_not_even_unpacked(host: Host, store: AgentStore) -> None:
    evil = archive(agent=PROGRAM)
    entry = entry_of(host, "/a.tar.gz", evil, "0" * 64)
    with pytest.raises(AgentInstallError, match=f"sha256 {hashlib.sha256(evil).hexdigest()} where {'0' * 64}"):
        install(entry, store)
    assert nothing_of(store, entry)


@pytest.mark.parametrize(
    ("content", "command", "reason"),
    [
        (archive(agent=PROGRAM)[:-20], "./agent", "broken"),
        (archive(**{"../agent": PROGRAM}), "./agent", "not a path inside"),
        (archive(other=PROGRAM), "./agent", "has no program './agent'"),
        (archive(agent=PROGRAM), "../../../bin/sh", "has no program"),
        (archive(agent=PROGRAM), "/bin/sh", "has no program"),
    ],
    ids=["cut short", "climbs out", "no such program", "program above", "program elsewhere"],
)
def test_what_is_refused_leaves_nothing(
    content: bytes, command: str, reason: str, host: Host, store: AgentStore
) -> None:
    entry = entry_of(host, "/a.tar.gz", content, command=command)
    with pytest.raises(AgentInstallError, match=reason):
        install(entry, store)
    assert nothing_of(store, entry)


def test_what_cannot_be_fetched_says_so(host: Host, store: AgentStore) -> None:
    entry = entry_of(host, "/a.tar.gz", b"")
    del host.files["/a.tar.gz"]
    with pytest.raises(AgentInstallError, match="could not be fetched: HTTP 404"):
        install(entry, store)


@pytest.mark.parametrize("target", ["http://host.example/a.tar.gz", "file:///etc/passwd", "ftp://host.example/a"])
def test_nothing_is_fetched_in_the_clear_from_elsewhere(target: str, host: Host, store: AgentStore) -> None:
    entry = entry_of(host, "/a.tar.gz", b"")
    host.redirects["/a.tar.gz"] = target
    with pytest.raises(AgentInstallError, match=r"not an https address|could not be fetched"):
        install(entry, store)


def test_an_agent_without_a_download_for_this_machine_says_so(store: AgentStore) -> None:
    other = Entry("agent", "Agent", "1", binaries=(Binary("plan9-mips", "https://host.example/a", None, "a"),))
    with pytest.raises(AgentInstallError, match="there is one for plan9-mips only"):
        install(other, store)


def test_ten_that_install_at_once_fetch_once(host: Host, store: AgentStore) -> None:
    entry = entry_of(host, "/a.tar.gz", archive(agent=PROGRAM))
    found: list[Installed] = []
    threads = [threading.Thread(target=lambda: found.append(install(entry, store))) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.argv for each in found}) == 1
    assert len(found) == 10
    assert host.asked == ["/a.tar.gz"]


@posix_only
def test_an_install_that_is_killed_is_done_again(store: AgentStore) -> None:
    program = f"""
import time
from pathlib import Path
from evalrouter.agents.registry.store import AgentStore
def fill(folder):
    (folder / "half").write_text("x")
    print("filling", flush=True)
    time.sleep(600)
AgentStore(Path({str(store.folder)!r})).get("agent", "key", fill)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "filling\n"
        process.send_signal(signal.SIGKILL)
    assert store.find("agent", "key") is None

    def fill(folder: Path) -> Installed:
        (folder / "agent").write_bytes(PROGRAM)
        return Installed((str(folder / "agent"),), None, "1")

    found = store.get("agent", "key", fill)
    assert store.find("agent", "key") == found
    assert [path.name for path in (store.folder / "agent").iterdir() if path.is_dir()] == [found.files.name]


def test_an_installation_whose_files_were_removed_is_done_again(host: Host, store: AgentStore) -> None:
    entry = entry_of(host, "/a.tar.gz", archive(agent=PROGRAM))
    Path(install(entry, store).argv[0]).unlink()
    assert installed(entry, store) is None
    assert Path(install(entry, store).argv[0]).is_file()


@pytest.mark.parametrize("present", [(), ("node",)])
@posix_only
def test_a_missing_node_or_npm_is_a_clear_error(
    present: tuple[str, ...], store: AgentStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in present:
        script(tmp_path / "bin" / name, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    entry = Entry("opencode", "O", "1.0.0", packages=(Package("npx", "opencode-ai", "1.0.0"),))
    with pytest.raises(AgentInstallError, match=r"needs (Node\.js|npm), which is not on the path: install Node\.js"):
        install(entry, store)


def script(path: Path, content: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{content}\n")
    path.chmod(0o755)


NPM = """
echo "$@" >> "{log}"
[ "$1" = install ] && [ "$2" = --prefix ] || exit 9
cd "$3"; mkdir -p node_modules/a-agent/dist
echo '{{"packages": {{"node_modules/a-agent": {{"version": "{version}", "integrity": "{hash}"}}}}}}' > package-lock.json
echo '{{"bin": {{"a-agent": "dist/index.js"}}, "engines": {{"node": ">=18"}}}}' > node_modules/a-agent/package.json
echo '#!/usr/bin/env node' > node_modules/a-agent/dist/index.js
"""


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An npm that installs `a-agent` 1.2.3 with the hash `sha512-right`; the file lists how it was called."""
    log = tmp_path / "npm.log"
    script(tmp_path / "bin/npm", NPM.format(log=log, version="1.2.3", hash="sha512-right"))
    script(tmp_path / "bin/node", "echo v20.1.0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return log


@posix_only
def test_an_npm_package_is_installed_at_its_exact_version_without_its_scripts(npm: Path, store: AgentStore) -> None:
    package = Package("npx", "a-agent", "1.2.3", hash="sha512-right")
    found = install(Entry("a-agent", "A", "1.2.3", packages=(package,)), store)
    assert (found.version, found.hash) == ("1.2.3", "sha512-right")
    assert [Path(each).name for each in found.argv] == ["node", "index.js"]
    called = npm.read_text().split()
    assert "--ignore-scripts" in called
    assert called[-2:] == ["--", "a-agent@1.2.3"]


@pytest.mark.parametrize(
    ("package", "reason"),
    [
        (Package("npx", "a-agent", "1.2.4"), "1.2.3 where 1.2.4 was asked for"),
        (Package("npx", "a-agent", "1.2.3", hash="sha512-other"), "has the hash sha512-right where sha512-other"),
        (Package("npx", "b-agent", "1.2.3"), "was asked for"),
    ],
)
@posix_only
def test_another_package_than_was_published_is_refused(
    package: Package, reason: str, npm: Path, store: AgentStore
) -> None:
    entry = Entry("a-agent", "A", "1", packages=(package,))
    with pytest.raises(AgentInstallError, match=reason):
        install(entry, store)
    assert nothing_of(store, entry)


@posix_only
def test_a_program_that_scripts_would_link_is_found_without_them(npm: Path, tmp_path: Path) -> None:
    natives = RECIPES["opencode"].natives.get(this_platform())
    if not natives:
        pytest.skip("the package has no program for this platform")
    program = tmp_path / "node_modules" / natives[0]
    program.parent.mkdir(parents=True)
    program.write_bytes(PROGRAM)
    package = Package("npx", "a-agent", "1.2.3")
    assert install_npm(package, RECIPES["opencode"], tmp_path, silent).argv == (str(program),)


@posix_only
def test_an_installer_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    script(tmp_path / "slow", 'sleep 600 & echo $! > "$0.child"; wait')
    began = time.monotonic()
    with pytest.raises(AgentInstallError, match="took more than 1 seconds"):
        run_tool([str(tmp_path / "slow")], tmp_path, "waiting", 1)
    assert time.monotonic() - began < 30
    child = int((tmp_path / "slow.child").read_text())
    for _ in range(100):
        status = Path(f"/proc/{child}/stat")
        if not status.exists() or status.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("what it started still runs")


@posix_only
def test_what_an_installer_says_is_in_the_error(tmp_path: Path) -> None:
    script(tmp_path / "broken", "echo 'no space left' >&2; exit 3")
    with pytest.raises(AgentInstallError, match=r"exit 3\):\nno space left"):
        run_tool([str(tmp_path / "broken")], tmp_path, "installing")
