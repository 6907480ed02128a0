"""What a user adds to an agent's start: variables and files, checked, and kept out of what is logged."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from attrs import field, frozen

from evalrouter.agents.acp.keeper import MARKER
from evalrouter.errors import InvalidArgumentError

LARGEST_FILE = 1024 * 1024
"""Bytes of one added file."""

_SECRET_NAME = re.compile("key|token|secret|password|credential", re.IGNORECASE)
_SECRET_IN_FILE = re.compile(
    r"""(?:key|token|secret|password|credential)[\w-]*["']?\s*[:=]\s*["']?([^\s"',;]{8,})""", re.IGNORECASE
)
_SHORTEST_HIDDEN = 8


@frozen
class Additions:
    """Variables and files that an agent gets beside what EvalRouter gives it; they win.

    Attributes:
        env: Variables.
        files: Files in its private HOME, content by relative path.
    """

    env: Mapping[str, str] = field(factory=dict, repr=False)
    files: Mapping[str, str] = field(factory=dict, repr=False)

    def digest(self) -> list[list[list[str]]]:
        """What a digest says of them: each name with its content's sha256."""
        return [
            [[name, hashlib.sha256(value.encode(errors="surrogateescape")).hexdigest()] for name, value in sorted(part)]
            for part in (self.env.items(), self.files.items())
        ]

    def secrets(self) -> frozenset[str]:
        """What looks like a secret by its name, and is taken out of answers too."""
        return secret_values(self.env) | {
            found for content in self.files.values() for found in _SECRET_IN_FILE.findall(content)
        }

    def private(self) -> frozenset[str]:
        """What is kept off notes and failures: every variable's value that is not too short to be told apart."""
        return self.secrets() | {value for value in self.env.values() if len(value) >= _SHORTEST_HIDDEN}


NOTHING_ADDED = Additions()


def secret_values(env: Mapping[str, str]) -> frozenset[str]:
    """The values of variables whose name says that they are secret.

    Args:
        env: Variables.
    """
    return frozenset(
        value for name, value in env.items() if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_HIDDEN
    )


def checked_additions(env: Mapping[str, str] | None, files: Mapping[str, str] | None) -> Additions:
    """Variables and files that may be added.

    Args:
        env: Variables.
        files: Content by relative path.

    Raises:
        InvalidArgumentError: One of them is not a variable, or not a file below HOME.
    """
    for name, value in (env or {}).items():
        _check_variable(name, value)
    for path, content in (files or {}).items():
        _check_file(path, content)
    paths = [PurePosixPath(path) for path in files or {}]
    for below in paths:
        if (other := next((each for each in paths if each in below.parents), None)) is not None:
            raise InvalidArgumentError(
                f"files has {str(other)[:60]!r} as a file and as the folder of {str(below)[:60]!r}."
            )
    return Additions(dict(env or {}), dict(files or {}))


def _check_variable(name: object, value: object) -> None:
    if not isinstance(name, str) or not isinstance(value, str) or not name or set("=\0") & set(name) or "\0" in value:
        raise InvalidArgumentError(f"env has {str(name)[:60]!r}, which is not a variable: names and values are texts.")
    if name == MARKER:
        raise InvalidArgumentError(f"env has {MARKER}, which is EvalRouter's own: leave it out.")


def _check_file(path: object, content: object) -> None:
    pure = PurePosixPath(path) if isinstance(path, str) else PurePosixPath()
    if not isinstance(path, str) or not pure.parts or pure.is_absolute() or ".." in pure.parts or "\0" in path:
        raise InvalidArgumentError(
            f"files has {str(path)[:60]!r}, which is not a path below HOME: give one such as .config/agent.json."
        )
    if not isinstance(content, str) or len(content.encode(errors="replace")) > LARGEST_FILE:
        raise InvalidArgumentError(f"files has {path[:60]!r} with no text of at most {LARGEST_FILE:,} bytes.")
