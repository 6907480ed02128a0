"""Installing a program from its address: fetched, compared with its published sha256, and only then unpacked."""

import hashlib
import os
import tempfile
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import httpx

from evalrouter.agents.agent import Progress
from evalrouter.agents.registry.entries import Binary
from evalrouter.agents.registry.store import Installed
from evalrouter.agents.registry.tools import AgentInstallError
from evalrouter.agents.registry.unpack import ArchiveError, archive_kind, place_program, unpack

LARGEST_ARCHIVE = 2 * 1024**3
"""Bytes of the largest archive that is fetched."""

_STALL_SECONDS = 60.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def install_binary(binary: Binary, folder: Path, progress: Progress) -> Installed:
    """Installs a program into a folder.

    Args:
        binary: The program for this platform.
        folder: An empty folder.
        progress: Told what is going on.

    Raises:
        AgentInstallError: It could not be fetched, has another sha256 than was published, or was refused.
    """
    name = PurePosixPath(unquote(urlsplit(binary.archive).path)).name
    content = folder / "program"
    content.mkdir()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        archive = Path(scratch) / "archive"
        progress(f"Fetching {binary.archive}")
        sha256 = download(binary.archive, archive)
        if binary.sha256 and sha256 != binary.sha256:
            raise AgentInstallError(
                f"{binary.archive} has the sha256 {sha256} where {binary.sha256} was published: it was not unpacked. "
                "Do not use it; tell the agent's makers."
            )
        kind = archive_kind(name)
        try:
            if kind:
                unpack(archive, kind, content)
            else:
                place_program(archive, binary.command, content)
        except ArchiveError as error:
            raise AgentInstallError(f"{binary.archive} was refused: {error}.") from error
    return Installed((str(_program(binary, content)),), hash=f"sha256:{sha256}", version=None)


def _program(binary: Binary, content: Path) -> Path:
    parts = PurePosixPath(binary.command.replace("\\", "/")).parts
    program = content.joinpath(*parts)
    if ".." in parts or not program.resolve().is_relative_to(content.resolve()) or not program.is_file():
        raise AgentInstallError(f"{binary.archive} has no program {binary.command!r}.")
    program.chmod(0o755)
    return program


def download(address: str, path: Path, most: int = LARGEST_ARCHIVE) -> str:
    """Fetches a file.

    Args:
        address: An https address, or http on this machine.
        path: Where it goes.
        most: The most bytes.

    Returns:
        Its sha256 in hexadecimal.

    Raises:
        AgentInstallError: It could not be fetched whole, or is too large.
    """
    _check_address(address)
    digest, size = hashlib.sha256(), 0
    try:
        with (
            httpx.Client(
                timeout=_STALL_SECONDS, follow_redirects=True, event_hooks={"request": [_check_hop]}
            ) as client,
            client.stream("GET", address) as response,
            path.open("wb") as file,
        ):
            response.raise_for_status()
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > most:
                    raise AgentInstallError(f"{address} is larger than {most:,} bytes and was not fetched.")
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
    except httpx.HTTPStatusError as error:
        raise AgentInstallError(f"{address} could not be fetched: HTTP {error.response.status_code}.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise AgentInstallError(
            f"{address} could not be fetched: {error or type(error).__name__}. Where that host cannot be reached, give "
            "another source in a registry file of your own (EVALROUTER_AGENT_REGISTRY)."
        ) from error
    return digest.hexdigest()


def _check_hop(request: httpx.Request) -> None:
    _check_address(str(request.url))


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise AgentInstallError(f"{address[:200]} is not an https address: nothing is fetched from it.")
