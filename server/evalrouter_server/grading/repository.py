"""Small repositories that an agent changes: what it handed in, what is laid over the task's files, what tests say.

What is handed in is kept as one text, a JSON object: `answer` (what the agent said), `files` (the whole new content of
each changed file by its path, null where it was removed) and `left_out` (what the agent's side could not hand in, and
why). Nothing is run here.

A hidden test is a script that leaves something in the variable `result`, and what must be there. Only the scripts go
into the sandbox; what they leave is compared here, so that code which looks at its tests, replaces them, ends early or
prints a verdict finds nothing to pass with.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from evalrouter_server.grading.spec import Verdict

MOST_FILES = 200
"""Changed files that are looked at."""

LARGEST_FILE = 262_144
"""Characters of a changed file."""

_LONGEST_PATH = 200
_MOST_TOLD = 50
_PART = re.compile(r"[\w.+@=,-][\w. +@=,-]{0,99}")


class HiddenTest(BaseModel):
    """A test that no agent sees.

    Attributes:
        name: Its name, which results show.
        script: What is run beside the repository; it leaves its outcome in `result`.
        expected: What that must be, as JSON.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    script: str = Field(min_length=1)
    expected: JsonValue


@dataclass(frozen=True, slots=True)
class Report:
    """How one test's script ended in the sandbox.

    Attributes:
        how: `reported`, `error` (an exception), `exited` (it ended before its end), or `timeout`.
        result: What it left, as JSON text; None where it left nothing.
    """

    how: str
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What of a submission counts.

    Attributes:
        files: The new content by path; None for a file that was removed.
        left_out: What does not count, and why.
    """

    files: Mapping[str, str | None] = field(default_factory=dict)
    left_out: Sequence[str] = ()


def packed(answer: str, files: Mapping[str, str | None], left_out: Sequence[str]) -> str:
    """A submission as one text.

    Args:
        answer: What the agent said.
        files: The new content by path; None for a file that was removed.
        left_out: What its side could not hand in, and why.
    """
    return json.dumps({"answer": answer, "files": dict(sorted(files.items())), "left_out": list(left_out)})


def changes_in(output: str) -> Changes:
    """What of a submission counts: text files at paths in the repository, as many and as large as is allowed.

    Args:
        output: The submission's text; whatever else it is has no changes.
    """
    try:
        document = json.loads(output)
    except (ValueError, RecursionError):
        return Changes()
    given = document.get("files") if isinstance(document, dict) else None
    told = document.get("left_out") if isinstance(document, dict) else None
    left_out = [str(each)[:300] for each in told[:_MOST_TOLD]] if isinstance(told, list) else []
    files: dict[str, str | None] = {}
    for path, content in given.items() if isinstance(given, dict) else ():
        reason = _unfit(path, content) if len(files) < MOST_FILES else f"more than {MOST_FILES} files"
        if reason is None:
            files[path] = content
        elif len(left_out) < _MOST_TOLD:
            left_out.append(f"{path[:_LONGEST_PATH]!r}: {reason}")
    return Changes(files, left_out)


def files_of(inputs: Mapping[str, JsonValue]) -> dict[str, str]:
    """The files that a task comes with, the content by path.

    Raises:
        ValueError: It comes with none, or they are not texts at paths in the repository.
    """
    files = inputs.get("files")
    if not isinstance(files, dict) or not files:
        raise ValueError("the inputs of a repository grader must have the repository's files under 'files'")
    for path, content in files.items():
        reason = "not a text" if content is None else _unfit(path, content)
        if reason is not None:
            raise ValueError(f"{path!r} under 'files' is {reason}")
    return {path: str(content) for path, content in files.items()}


def laid_over(files: Mapping[str, str], changed: Mapping[str, str | None]) -> tuple[dict[str, str], list[str]]:
    """A task's files with the changes made to them.

    Args:
        files: The task's.
        changed: The changes.

    Returns:
        The files, and what was left out because another file lies where its folder would be.
    """
    kept = {path: content for path, content in files.items() if changed.get(path, content) is not None}
    kept |= {path: content for path, content in changed.items() if content is not None}
    in_the_way = [path for path in kept if any(str(parent) in kept for parent in PurePosixPath(path).parents)]
    for path in in_the_way:
        del kept[path]
    return kept, [f"{path!r}: its folder is a file" for path in in_the_way]


def hidden_tests(target: Mapping[str, JsonValue]) -> list[HiddenTest]:
    """The tests of a target.

    Raises:
        ValueError: It has none, or they do not have the form of tests.
    """
    tests = target.get("tests")
    if not isinstance(tests, list) or not tests:
        raise ValueError("the target of a repository grader must have a list of tests under 'tests'")
    try:
        return [HiddenTest.model_validate(test) for test in tests]
    except ValidationError as error:
        raise ValueError(
            f"a hidden test is a name, a script and what is expected: {error.errors()[0]['msg']}"
        ) from error


def verdict_of(
    tests: Sequence[HiddenTest], reports: Sequence[Report], changed: Mapping[str, str | None]
) -> tuple[Verdict, dict[str, str]]:
    """The verdict: right where every test left what is expected.

    Args:
        tests: The tests.
        reports: How each of them ended, in their order; one that is missing did not end.
        changed: What the agent changed.

    Returns:
        The verdict, and for each test how it ended: `passed`, `differs`, or as the report says.
    """
    ended = [_ended(test, report) for test, report in zip(tests, reports, strict=False)]
    ended += ["not_run"] * (len(tests) - len(ended))
    passed = all(how == "passed" for how in ended)
    told = {test.name: how for test, how in zip(tests, ended, strict=True)}
    return Verdict.of(passed, ", ".join(sorted(changed))[:2000] or None, "passed" if passed else "failed"), told


def _ended(test: HiddenTest, report: Report) -> str:
    if report.how != "reported" or report.result is None:
        return report.how
    try:
        left = json.dumps(json.loads(report.result), sort_keys=True)
    except (ValueError, RecursionError):
        return "error"
    return "passed" if left == json.dumps(test.expected, sort_keys=True) else "differs"


def _unfit(path: str, content: object) -> str | None:
    """Why a changed file does not count; None where it does."""
    parts = path.split("/")
    if len(path) > _LONGEST_PATH or ".." in parts or "." in parts or not all(map(_PART.fullmatch, parts)):
        return "not a path of a file in the repository"
    if content is not None and not isinstance(content, str):
        return "not a text"
    if content is not None and len(content) > LARGEST_FILE:
        return f"more than {LARGEST_FILE:,} characters"
    if content is not None and any("\ud800" <= character <= "\udfff" for character in content):
        return "not a text"
    return None
