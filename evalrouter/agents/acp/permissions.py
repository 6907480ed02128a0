"""How an agent's requests for permission are answered."""

import asyncio
import select
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

from attrs import frozen

from evalrouter.agents.acp.folder import Folder
from evalrouter.errors import InvalidArgumentError

type Permission = Literal["allow-in-workdir", "deny", "ask"]
"""The policies: allow what stays in the task's folder, allow nothing, or ask at the terminal."""

MOST_REQUESTS = 500
"""How many requests for permission an agent may make for a task."""

_PATH_NAMES = frozenset(
    {"path", "file", "filename", "filepath", "dir", "directory", "folder", "cwd", "workdir", "root"}
)
_OUTSIDE_KINDS = frozenset({"fetch"})
_ALLOWING = ("allow_once", "allow_always")
_REFUSING = ("reject_once", "reject_always")
_POLL_SECONDS = 0.2
_asking = threading.Lock()


@frozen
class Decision:
    """What a request for permission gets.

    Attributes:
        is_allowed: Whether it is allowed.
        reason: Why, in a few words.
    """

    is_allowed: bool
    reason: str


def checked_permission(permission: object) -> Permission:
    """The policy that is meant.

    Raises:
        InvalidArgumentError: There is no such policy, or nobody to ask.
    """
    known: tuple[Permission, ...] = get_args(Permission.__value__)
    if permission not in known:
        raise InvalidArgumentError(f"permission={permission!r} is not a policy: pass {', '.join(map(repr, known))}.")
    if permission == "ask" and not sys.stdin.isatty():
        raise InvalidArgumentError("permission='ask' needs a terminal to ask at, and standard input is none.")
    return permission


def decide(tool_call: Mapping[str, Any], folder: Folder) -> Decision:
    """Whether a tool call stays in the folder, as far as what is said of it tells.

    Args:
        tool_call: What the agent says of it.
        folder: The task's folder.
    """
    if tool_call.get("kind") in _OUTSIDE_KINDS:
        return Decision(False, "it reaches outside the working folder")
    for path in _paths(tool_call):
        if not folder.holds(path):
            return Decision(False, f"{path[:200]} is outside the working folder")
    return Decision(True, "it names nothing outside the working folder")


async def ask(tool_call: Mapping[str, Any]) -> Decision:
    """Asks at the terminal; no answer within the task's time, or none at all, is a no.

    Args:
        tool_call: What the agent says of it.
    """
    over = threading.Event()
    try:
        question = f"The agent wants to: {title(tool_call)}\nAllow it? [y/N] "
        is_allowed = await asyncio.to_thread(_asked, question, over)
    finally:
        over.set()
    return Decision(is_allowed, "it was asked at the terminal")


def outcome(decision: Decision, options: object) -> dict[str, Any]:
    """The answer in the protocol's form: the narrowest option that the agent offers for the decision.

    Args:
        decision: The decision.
        options: The options that the agent offers.
    """
    offered = [option for option in options if isinstance(option, dict)] if isinstance(options, list) else []
    for kind in _ALLOWING if decision.is_allowed else _REFUSING:
        for option in offered:
            if option.get("kind") == kind and isinstance(option.get("optionId"), str):
                return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}
    return {"outcome": {"outcome": "cancelled"}}


def title(tool_call: Mapping[str, Any]) -> str:
    """A line that says what a tool call is, without characters that could change a terminal."""
    words = str(tool_call.get("title") or tool_call.get("kind") or "use a tool")
    return "".join(letter if letter.isprintable() else " " for letter in words[:300])


def _paths(tool_call: Mapping[str, Any]) -> Iterator[str]:
    """The paths that a tool call names: its locations, its changes, and the usual names among its arguments."""
    for part in ("locations", "content"):
        entries = tool_call.get(part)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("path"), str):
                yield entry["path"]
    arguments = tool_call.get("rawInput")
    for name, value in arguments.items() if isinstance(arguments, dict) else ():
        words = "".join(letter for letter in str(name).lower() if letter.isalpha())
        values = value if isinstance(value, list) else [value]
        if words.rstrip("s") in _PATH_NAMES or words.endswith(("path", "paths")):
            yield from (each for each in values if isinstance(each, str))


def _asked(question: str, over: threading.Event) -> bool:
    """Asks one question at a time, until there is an answer or the question is over."""
    with _asking:
        if over.is_set():
            return False
        sys.stderr.write(question)
        sys.stderr.flush()
        while not select.select([sys.stdin], [], [], _POLL_SECONDS)[0]:
            if over.is_set():
                return False
        return sys.stdin.readline().strip().lower() in ("y", "yes")
