"""An agent that is named by its command line: `local:my-agent --acp`."""

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from evalrouter.agents.acp.agent import START_SECONDS, AcpAgent
from evalrouter.agents.acp.permissions import Permission
from evalrouter.agents.additions import Additions, checked_additions
from evalrouter.agents.agent import SECONDS_PER_TASK, AgentSpec
from evalrouter.agents.launch import AgentLaunch, ModelAccess
from evalrouter.errors import InvalidArgumentError

LONGEST_COMMAND = 4000
"""Characters of a command line."""


def local_agent(
    command: str,
    *,
    permission: Permission = "allow-in-workdir",
    env: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
    timeout: float = SECONDS_PER_TASK,
    start_timeout: float = START_SECONDS,
) -> AcpAgent:
    """An agent of yours that speaks the Agent Client Protocol on its standard streams, started here for each task.

    It gets a fresh working folder and home, and of your variables PATH, the language, the time zone and where
    certificates are. The gateway is in `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`, `ANTHROPIC_BASE_URL`,
    `ANTHROPIC_AUTH_TOKEN` and `ANTHROPIC_MODEL`.

    Args:
        command: Its command line, quoted as for a shell, but not run by one. The program, and arguments that name a
            file by a path, are looked up where you are now. It is stored with the run, so resolved, for a resume
            from anywhere on this machine: put secrets into `env`.
        permission: How its requests for permission are answered: `allow-in-workdir` allows what names nothing outside
            its working folder, `deny` allows nothing, `ask` asks at the terminal.
        env: Further variables, which win over those above.
        files: Files in its private HOME, content by relative path.
        timeout: The most time for a task, in seconds, from the moment that it is ready.
        start_timeout: The most time from its start until it is ready, in seconds.

    Raises:
        InvalidArgumentError: The command line cannot be read, its program is not found, or another argument is wrong.
    """
    arguments = _resolved(command)
    additions = checked_additions(env, files)
    spec = AgentSpec(
        kind="local",
        name=Path(arguments[0]).name,
        digest=_digest(arguments, permission, additions),
        command=shlex.join(arguments),
    )
    launch = AgentLaunch(name=spec.name, argv=arguments, env=additions.env, files=additions.files, digest=spec.digest)

    def launcher(access: ModelAccess) -> AgentLaunch:
        return launch

    return AcpAgent(
        spec,
        launcher,
        additions=additions,
        permission=permission,
        timeout=_checked_seconds("timeout", timeout),
        start_timeout=_checked_seconds("start_timeout", start_timeout),
    )


def _resolved(command: str) -> tuple[str, ...]:
    """The words of a command line, with the program and files by their absolute paths."""
    if not isinstance(command, str) or len(command) > LONGEST_COMMAND or "\0" in command:
        raise InvalidArgumentError(
            f"command={str(command)[:60]!r} is not a command line: pass a text of at most {LONGEST_COMMAND} characters."
        )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidArgumentError(f"command={command!r} is not a command line: {error}.") from error
    if not words:
        raise InvalidArgumentError("local: names no command: write it after the colon, as in local:my-agent --acp.")
    program = shutil.which(words[0])
    if program is None:
        raise InvalidArgumentError(
            f"The program {words[0]!r} of the agent {command!r} was not found: install it, or give its path."
        )
    found = (os.path.abspath(program), *(_absolute(word) for word in words[1:]))  # noqa: PTH100 - links stay as they are
    if len(shlex.join(found)) > LONGEST_COMMAND:
        raise InvalidArgumentError(
            f"command={command[:60]!r} has more than {LONGEST_COMMAND} characters once its files are named in full: "
            "put it into a script."
        )
    return found


def _absolute(word: str) -> str:
    """A word that names a file by a path or with a suffix, as an absolute path; any other as it is."""
    looks_like_path = "/" in word or Path(word).suffix
    return str(Path(word).absolute()) if looks_like_path and not word.startswith("-") and Path(word).is_file() else word


def _digest(arguments: tuple[str, ...], permission: str, additions: Additions) -> str:
    """Names what runs: the words, the content of each file among them, the policy and what was added."""
    files = [_file_hash(Path(word)) for word in arguments if Path(word).is_absolute() and Path(word).is_file()]
    document = json.dumps([arguments, files, permission, additions.digest()])
    return f"sha256:{hashlib.sha256(document.encode()).hexdigest()}"


def _file_hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InvalidArgumentError(f"{path} cannot be read: {error.strerror}.") from error


def _checked_seconds(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value <= 0:
        raise InvalidArgumentError(f"{name}={value!r} is not valid: pass seconds, more than 0.")
    return float(value)
