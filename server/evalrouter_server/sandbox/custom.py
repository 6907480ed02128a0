"""Graders that somebody wrote: a folder with a program, which runs in the sandbox and nowhere else.

The program is `grade.py`, run by the server's Python with the standard library alone, or an executable file `grade`. It
is run once for each answer. On standard input it gets one JSON object with `output` (the answer's text), `target` and
`inputs` (the item's). On standard output it gives one JSON object: `score` from 0 to 1 and, where it wants to,
`correct` (else whether the score is 1), `extracted` (the answer that it found), `rule` (how) and `details` (an object
that is kept with the result). `{"error": "why"}` says that it cannot grade this answer. Anything else, an exit status
other than 0 and a limit that is reached mean that the answer is not graded: a grader's error is never a wrong answer.
"""

import json
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from evalrouter_server.grading import Verdict
from evalrouter_server.grading.custom import EXECUTABLE, SCRIPT
from evalrouter_server.sandbox.bubblewrap import PYTHON
from evalrouter_server.sandbox.command import FOLDER, Command, Ended, Limits
from evalrouter_server.sandbox.program import last_words
from evalrouter_server.sandbox.sandbox import Sandbox

_LIMITS = Limits(wall_seconds=60.0, cpu_seconds=30, output_bytes=256 * 1024)


class GraderFailed(Exception):
    """A grader did not grade an answer.

    Args:
        reason: What it did instead.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Said(BaseModel):
    """What a grader says."""

    model_config = ConfigDict(extra="forbid", strict=True)

    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    correct: bool | None = None
    extracted: Annotated[str, Field(max_length=20_000)] | None = None
    rule: Annotated[str, Field(min_length=1, max_length=100)] = "custom"
    details: dict[str, JsonValue] | None = None
    error: str | None = None


def program_of(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The command line of a grader.

    Args:
        files: Its files, by relative path.

    Raises:
        ValueError: They have no program.
    """
    if SCRIPT in files:
        return (PYTHON, "-E", "-s", "-S", "-B", "-X", "utf8", f"{FOLDER}/{SCRIPT}")
    if EXECUTABLE in files:
        return (f"{FOLDER}/{EXECUTABLE}",)
    raise ValueError(f"the grader's folder has neither {SCRIPT} nor an executable file {EXECUTABLE}")


async def grade_with(
    sandbox: Sandbox,
    files: Mapping[str, bytes],
    *,
    output: str,
    target: Mapping[str, JsonValue],
    inputs: Mapping[str, JsonValue],
    limits: Limits = _LIMITS,
) -> tuple[Verdict, Mapping[str, JsonValue] | None]:
    """Grade one answer with a grader that somebody wrote.

    Args:
        sandbox: Where it runs.
        files: The grader's files, by relative path.
        output: The whole text of the answer.
        target: The item's target.
        inputs: The item's inputs.
        limits: What bounds it.

    Returns:
        The verdict, and the details that the grader wants kept.

    Raises:
        GraderFailed: It did not grade the answer.
        SandboxFailed: There is no sandbox here, or it failed itself.
        ValueError: The files have no program.
    """
    asked = {"output": output, "target": dict(target), "inputs": dict(inputs)}
    command = Command(program_of(files), files=files, stdin=json.dumps(asked).encode(), limits=limits)
    outcome = await sandbox.run(command)
    if outcome.ended is not Ended.BY_ITSELF:
        raise GraderFailed(f"it reached its limit: {outcome.ended}")
    if outcome.exit_status != 0:
        raise GraderFailed(f"it ended with status {outcome.exit_status}: {last_words(outcome)}")
    said = _read(outcome.stdout)
    if said.error is not None or said.score is None:
        raise GraderFailed(f"it says: {said.error or 'no score'}"[:500])
    correct = said.score == 1 if said.correct is None else said.correct
    return Verdict(said.score, correct, said.extracted, said.rule), said.details


def _read(stdout: bytes) -> _Said:
    try:
        said = _Said.model_validate_json(stdout)
        json.dumps(said.details, allow_nan=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "standard output"
        raise GraderFailed(f"its answer is not as it must be: {place}: {first['msg']}"[:500]) from None
    except ValueError:
        raise GraderFailed("its answer is not as it must be: details: a number that is not finite") from None
    return said
