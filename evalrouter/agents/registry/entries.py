"""Entries of the ACP registry: what an agent is, where it comes from, and how far that is checked."""

import platform
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import evolve, field, frozen

from evalrouter.agents.launch import Integrity

_ID = re.compile(r"[a-z][a-z0-9-]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_!-]{0,63}")
_EXACT = re.compile(r"v?\d+(\.\d+)*([-.+]?[0-9A-Za-z]+)*")
_NPM_NAME = re.compile(r"(@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-z0-9._~-]*")
_PYPI_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
_SYSTEMS = {"linux": "linux", "darwin": "darwin", "win32": "windows"}
_LONGEST_TEXT = 2000


class EntryError(ValueError):
    """An entry, or a registry's document, that cannot be read."""


@frozen
class Package:
    """A package of npm (`npx`) or PyPI (`uvx`).

    Attributes:
        kind: `npx` or `uvx`.
        name: The package's name.
        version: Its exact version; None where the registry names none.
        args: What the agent's command gets.
        env: What the agent's environment gets.
        command: The package's program, where the registry names one.
        hash: The published hash of the package's archive (npm's `sha512-...`), where it was read.
    """

    kind: str
    name: str
    version: str | None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(factory=dict)
    command: str | None = None
    hash: str | None = None

    @property
    def integrity(self) -> Integrity:
        """How the package is known to be right."""
        return "package-registry" if self.version else "unverified-upstream"

    @property
    def describes(self) -> str:
        """Its source in a few words."""
        source = "npm" if self.kind == "npx" else "PyPI"
        return f"{source} {self.name}{'@' if self.kind == 'npx' else '=='}{self.version or '(any version)'}"


@frozen
class Binary:
    """A program for one platform.

    Attributes:
        platform: Such as `linux-x86_64`.
        archive: The address of an archive, or of the program itself.
        sha256: The published sha256 of what is at that address.
        command: The program's path in the archive.
        args: What the agent's command gets.
        env: What the agent's environment gets.
    """

    platform: str
    archive: str
    sha256: str | None
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(factory=dict)

    @property
    def integrity(self) -> Integrity:
        """How the program is known to be right."""
        return "pinned" if self.sha256 else "unverified-upstream"

    @property
    def describes(self) -> str:
        """Its source in a few words."""
        return f"binary {self.archive}"


type Distribution = Package | Binary


@frozen
class Entry:
    """An agent of the registry.

    Attributes:
        id: Its ID.
        name: Its display name.
        version: Its version in this registry; None where that is not known.
        licence: An SPDX expression or `proprietary`; None where it is not stated.
        description: What it is, in a sentence.
        packages: Its npm and PyPI packages.
        binaries: Its programs by platform.
        preview: Whether the registry calls it a preview.
        origin: Which registry says so: `snapshot`, `refreshed` or `override`.
    """

    id: str
    name: str
    version: str | None
    licence: str | None = None
    description: str = ""
    packages: tuple[Package, ...] = ()
    binaries: tuple[Binary, ...] = ()
    preview: bool = False
    origin: str = "snapshot"

    def distribution(self, system: str | None = None) -> Distribution | None:
        """Where the agent comes from on a platform: the source that is checked best, a binary before a package.

        Args:
            system: The platform; this machine's without it.

        Returns:
            None where there is nothing for the platform.
        """
        here = system or this_platform()
        sources: list[Distribution] = [*(each for each in self.binaries if each.platform == here), *self.packages]
        order: tuple[Integrity, ...] = ("pinned", "package-registry", "unverified-upstream")
        return min(sources, key=lambda each: order.index(each.integrity), default=None)

    @property
    def integrity(self) -> Integrity:
        """How the agent's files are known to be right, on this machine or else where it is offered."""
        chosen = self.distribution() or next(iter(self.binaries), None)
        return chosen.integrity if chosen else "unverified-upstream"

    def at_version(self, version: str) -> "Entry":
        """The agent in another version, of which no hash is known.

        An exact version of a package is as good as the entry's; a binary is then `unverified-upstream`, and is offered
        only where its address contains the version.

        Args:
            version: The exact version.

        Raises:
            EntryError: It is not an exact version.
        """
        if not is_exact(version):
            raise EntryError(f"{version[:60]!r} is not an exact version, such as 1.2.3")
        if version == self.version:
            return self
        old = self.version
        return evolve(
            self,
            version=version,
            packages=tuple(evolve(each, version=version, hash=None) for each in self.packages),
            binaries=tuple(
                evolve(each, archive=each.archive.replace(old, version), sha256=None)
                for each in self.binaries
                if old and old in each.archive
            ),
        )


@frozen
class Registry:
    """A registry's agents.

    Attributes:
        entries: The agents by ID.
        date: The day on which it was written down; empty where it does not say.
        skipped: What could not be read, a sentence each.
    """

    entries: Mapping[str, Entry]
    date: str = ""
    skipped: tuple[str, ...] = ()


def this_platform() -> str:
    """This machine as the registry names platforms, such as `linux-x86_64`."""
    machine = platform.machine().lower()
    return f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(machine, machine)}"


def is_exact(version: str) -> bool:
    """Whether a version names one release: not a range, a tag such as `latest`, or a pattern such as `1.x`."""
    return len(version) <= 64 and bool(_EXACT.fullmatch(version)) and not re.search(r"(^|\.)[xX](\.|$)", version)


def parse_registry(document: object, origin: str) -> Registry:
    """The agents of an aggregate document; what is unknown in an entry is passed over, a broken entry is skipped.

    Args:
        document: The parsed JSON.
        origin: `snapshot`, `refreshed` or `override`.

    Raises:
        EntryError: It is no registry's document.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("agents"), list):
        raise EntryError('it is not a registry: a JSON object with a list "agents" is expected')
    entries: dict[str, Entry] = {}
    skipped: list[str] = []
    for number, raw in enumerate(document["agents"]):
        try:
            entry = parse_entry(raw, origin)
        except EntryError as error:
            skipped.append(f"agents[{number}]: {error}")
            continue
        if entry.id in entries:
            skipped.append(f"agents[{number}]: {entry.id} is there twice; the first counts")
        else:
            entries[entry.id] = entry
    return Registry(entries, _text(document.get("date")) or "", tuple(skipped))


def parse_entry(raw: object, origin: str) -> Entry:
    """One agent of a registry.

    Args:
        raw: The parsed JSON of the entry.
        origin: `snapshot`, `refreshed` or `override`.

    Raises:
        EntryError: It has no usable ID, or a part of it is not what it must be.
    """
    if not isinstance(raw, Mapping):
        raise EntryError("it is not an object")
    id_ = raw.get("id")
    if not isinstance(id_, str) or not _ID.fullmatch(id_):
        raise EntryError(f"{str(id_)[:60]!r} is not an ID")
    version = raw.get("version")
    if version is not None and (not isinstance(version, str) or not _VERSION.fullmatch(version)):
        raise EntryError(f"{id_} has the version {str(version)[:60]!r}, which is none")
    distribution = raw.get("distribution")
    distribution = distribution if isinstance(distribution, Mapping) else {}
    return Entry(
        id=id_,
        name=_text(raw.get("name")) or id_,
        version=version,
        licence=_text(raw.get("license")),
        description=_text(raw.get("description")) or "",
        packages=tuple(
            _package(id_, kind, distribution[kind])
            for kind in ("npx", "uvx")
            if isinstance(distribution.get(kind), Mapping)
        ),
        binaries=tuple(_binaries(id_, distribution.get("binary"))),
        preview=raw.get("preview") is True,
        origin=origin,
    )


def _package(id_: str, kind: str, raw: Mapping[str, Any]) -> Package:
    written = raw.get("package")
    if not isinstance(written, str):
        raise EntryError(f"{id_} has an {kind} distribution without a package")
    name, version = _split(kind, written.strip())
    if not (_NPM_NAME if kind == "npx" else _PYPI_NAME).fullmatch(name):
        raise EntryError(f"{id_} names the package {written[:80]!r}, which no {kind} package can be called")
    return Package(
        kind=kind,
        name=name,
        version=version if version and is_exact(version) else None,
        args=_texts(id_, raw.get("args")),
        env=_variables(id_, raw.get("env")),
        command=_text(raw.get("cmd")),
        hash=_text(raw.get("integrity")),
    )


def _split(kind: str, written: str) -> tuple[str, str | None]:
    """A package's name and version: `@scope/name@1.2`, `name==1.2`, `name@1.2`; extras of PyPI are not taken."""
    separator = "==" if kind == "uvx" and "==" in written else "@"
    head, found, version = written[1:].partition(separator)
    return written[:1] + head, version.strip() if found else None


def _binaries(id_: str, raw: object) -> Iterable[Binary]:
    if not isinstance(raw, Mapping):
        return
    for system, target in raw.items():
        if not isinstance(target, Mapping):
            raise EntryError(f"{id_} has a binary for {str(system)[:60]!r} that is not an object")
        archive, command, sha256 = target.get("archive"), target.get("cmd"), target.get("sha256")
        if not isinstance(archive, str) or not isinstance(command, str) or not archive or not command:
            raise EntryError(f"{id_} has a binary for {str(system)[:60]!r} without an archive or a cmd")
        if sha256 is not None and (not isinstance(sha256, str) or not _SHA256.fullmatch(sha256.lower())):
            raise EntryError(f"{id_} has the sha256 {str(sha256)[:80]!r}, which is none")
        yield Binary(
            platform=str(system),
            archive=archive,
            sha256=sha256.lower() if sha256 else None,
            command=command,
            args=_texts(id_, target.get("args")),
            env=_variables(id_, target.get("env")),
        )


def _text(value: object) -> str | None:
    return value.strip()[:_LONGEST_TEXT] or None if isinstance(value, str) else None


def _texts(id_: str, value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) and "\0" not in each for each in value):
        raise EntryError(f"{id_} has args that are not a list of texts")
    return tuple(value)


def _variables(id_: str, value: object) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(
        isinstance(name, str) and isinstance(text, str) and name and not set("=\0") & set(name) and "\0" not in text
        for name, text in value.items()
    ):
        raise EntryError(f"{id_} has an env that is not an object of texts")
    return dict(value)
