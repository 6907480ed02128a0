"""Hidden tests over a repository's files in the sandbox: one command for all, a process of its own for each."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from evalrouter_server.grading.repository import Report
from evalrouter_server.sandbox.bubblewrap import PYTHON
from evalrouter_server.sandbox.command import FOLDER, Command, Limits, Outcome
from evalrouter_server.sandbox.program import last_words
from evalrouter_server.sandbox.sandbox import Sandbox

_WALL_FACTOR = 3
_START_SECONDS = 10.0


async def run_tests(
    sandbox: Sandbox, files: Mapping[str, str], scripts: Sequence[str], *, seconds: int, memory_mib: int
) -> tuple[list[Report], str]:
    """Run tests, each over a fresh copy of the files.

    Args:
        sandbox: Where.
        files: The repository's files, the content by path.
        scripts: The tests' scripts; what they are to leave stays here.
        seconds: Processor seconds that each test may take; three times as much may pass.
        memory_mib: Memory that they may take, in MiB.

    Returns:
        How each test ended, fewer where a limit of all was reached; and the end of what they printed.

    Raises:
        SandboxFailed: There is no sandbox here, or it failed itself.
    """
    job = {"files": dict(files), "scripts": list(scripts), "seconds": seconds * _WALL_FACTOR}
    limits = Limits(
        wall_seconds=float(seconds * _WALL_FACTOR * len(scripts)) + _START_SECONDS,
        cpu_seconds=seconds,
        memory_bytes=memory_mib * 1024**2,
    )
    command = Command(
        (PYTHON, "-I", "-S", "-B", "-X", "utf8", f"{FOLDER}/tester.py"),
        files={"tester.py": _script("tester.py"), "tested.py": _script("tested.py")},
        stdin=json.dumps(job).encode(),
        limits=limits,
    )
    outcome = await sandbox.run(command)
    return _reports(outcome)[: len(scripts)], last_words(outcome)


def _reports(outcome: Outcome) -> list[Report]:
    """What was reported, one JSON object a line; it is not trusted, since the code under test may write there."""
    found = []
    for line in outcome.stdout.splitlines():
        try:
            report = json.loads(line)
            found.append(Report(str(report["how"])[:40], None if report["result"] is None else str(report["result"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


@cache
def _script(name: str) -> bytes:
    return (resources.files("evalrouter_server.sandbox") / name).read_bytes()
