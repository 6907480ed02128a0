"""Python programs in the sandbox: a program that ends as it should has passed, and whatever else happens has a name.

The rules: `passed`; `failed`, an assertion did not hold; `error`, another exception; `invalid_code`, not Python;
`exited`, it ended before its end was reached; `crashed`, a signal ended it; `timeout`, `memory`, `disk` and
`output_limit`, it reached that limit.
"""

import json
import secrets
import signal
from dataclasses import dataclass
from functools import cache
from importlib import resources

from evalrouter_server.sandbox.bubblewrap import PYTHON
from evalrouter_server.sandbox.command import FOLDER, Command, Ended, Limits, Outcome
from evalrouter_server.sandbox.sandbox import Sandbox

STDERR_TAIL = 2000
"""How much of a program's last words is kept, in characters."""

_LIMIT_RULES = {Ended.TIMEOUT: "timeout", Ended.MEMORY: "memory", Ended.DISK: "disk", Ended.OUTPUT: "output_limit"}
_SIGNALLED = 128


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended.

    Attributes:
        rule: The rule's name, as in this module's description.
        stderr: The end of what it printed and of the exception that ended it.
        seconds: How long it took.
    """

    rule: str
    stderr: str
    seconds: float


async def run_program(sandbox: Sandbox, program: str, *, seconds: int, memory_mib: int) -> Ran:
    """Run a Python program.

    Args:
        sandbox: Where.
        program: The program's text.
        seconds: Processor seconds that it may take; three times as much may pass.
        memory_mib: Memory that it may take, in MiB.

    Raises:
        SandboxFailed: There is no sandbox here, or it failed itself.
    """
    token = secrets.token_hex(16)
    limits = Limits(wall_seconds=3.0 * seconds, cpu_seconds=seconds, memory_bytes=memory_mib * 1024**2)
    command = Command(
        (PYTHON, "-I", "-S", "-B", "-X", "utf8", f"{FOLDER}/driver.py"),
        files={"driver.py": _driver()},
        stdin=json.dumps({"program": program, "token": token}).encode(),
        limits=limits,
    )
    outcome = await sandbox.run(command)
    return Ran(_rule(outcome, token, seconds), last_words(outcome), outcome.seconds)


def last_words(outcome: Outcome) -> str:
    """The end of what a command wrote to standard error, as a text that every database keeps."""
    return outcome.stderr.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}").strip()[-STDERR_TAIL:]


def _rule(outcome: Outcome, token: str, seconds: int) -> str:
    if outcome.ended is not Ended.BY_ITSELF:
        return _LIMIT_RULES[outcome.ended]
    for line in outcome.stdout.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if isinstance(report, dict) and report.get("token") == token:
            return str(report["rule"])
    status = outcome.exit_status or 0
    is_killed = status == _SIGNALLED + signal.SIGKILL  # a second after the signal that it may be deaf to
    if status == _SIGNALLED + signal.SIGXCPU or (is_killed and outcome.seconds > seconds):
        return "timeout"
    return "crashed" if status > _SIGNALLED else "exited"


@cache
def _driver() -> bytes:
    return (resources.files("evalrouter_server.sandbox") / "driver.py").read_bytes()
