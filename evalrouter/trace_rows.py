"""Traces as rows of a benchmark: the manifest of a set of them, and a row of a file of JSON lines."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evalrouter.errors import InvalidArgumentError
from evalrouter.types import Trace, TraceSpan

RECORDED = "traces/recorded"
"""The model that stands for answers that were recorded: none is called."""

MOST_TRACES = 5_000

_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_POINTER = re.compile("(/([^~/]|~[01])*)*")
_MISSING = object()


def trace_id_of(trace: Trace | str) -> str:
    """The server's ID of a trace.

    Raises:
        InvalidArgumentError: It is none.
    """
    found = trace.id if isinstance(trace, Trace) else trace
    if not isinstance(found, str) or not _UUID.fullmatch(found.strip().lower()):
        raise InvalidArgumentError(
            f"trace={str(found)[:60]!r} is no trace's ID: pass a UUID, as receipts and lists do."
        )
    return found.strip().lower()


def set_manifest(
    trace_ids: Sequence[str],
    *,
    grader: Mapping[str, Any],
    target: str | Sequence[str] | None,
    targets: Mapping[str, str | Sequence[str]],
    input: str,
    output: str,
    slug: str | None,
) -> dict[str, Any]:
    """The manifest of a benchmark whose rows are traces.

    Args:
        trace_ids: The traces; one that comes twice counts once.
        grader: How answers are graded.
        target: What every answer is compared with.
        targets: What the answers of some traces are compared with.
        input: Where the question stands in a root's input.
        output: Where the answer stands in a root's output.
        slug: Its slug; None for one that is made of how answers are graded.

    Raises:
        InvalidArgumentError: There is no trace, there are too many, or an argument is not valid.
    """
    ids = list(dict.fromkeys(trace_ids))
    if not 1 <= len(ids) <= MOST_TRACES:
        raise InvalidArgumentError(f"{len(ids):,} traces to evaluate: pass from 1 to {MOST_TRACES:,}.")
    if not isinstance(grader, Mapping) or not isinstance(grader.get("kind"), str):
        raise InvalidArgumentError('grader= must be a dict with a kind, as in {"kind": "exact"}.')
    source = {
        "input": _pointer("input", input),
        "output": _pointer("output", output),
        **({} if target is None else {"target": _answer("target", target)}),
        **(
            {"targets": {trace_id_of(key): _answer("targets", value) for key, value in targets.items()}}
            if targets
            else {}
        ),
    }
    kind = grader["kind"].replace("_", "-")
    return {
        "slug": slug or f"traces-{kind}-{_digest([grader, {**source, 'targets': None}])}",
        "name": f"Traces graded by {kind}"[:200],
        "source": {"kind": "traces", "ids": ids, **source},
        "grader": dict(grader),
        "metric": "mean_score" if kind in ("judge", "token-f1", "custom") else "accuracy",
    }


def append_row(
    path: Path,
    trace_id: str,
    root: TraceSpan,
    *,
    target: str | Sequence[str] | None,
    input: str,
    output: str,
) -> bool:
    """Appends a trace to a file of JSON lines, unless it has it.

    Args:
        path: The file.
        trace_id: The trace.
        root: Its root.
        target: The right answer.
        input: Where the question stands in the root's input.
        output: Where the answer stands in the root's output.

    Returns:
        Whether a row was added.

    Raises:
        InvalidArgumentError: There is no question, or the file cannot be read or written.
    """
    question = _text(root.input, _pointer("input", input))
    if question is None:
        why = "is not stored" if root.input is None else f"has nothing at {input!r}"
        raise InvalidArgumentError(f"The input of the trace {trace_id} {why}, so that it asks nothing.")
    answer = _text(root.output, _pointer("output", output))
    row = {
        "trace_id": trace_id,
        "input": question,
        **({} if answer is None else {"output": answer}),
        **({} if target is None else {"target": _answer("target", target)}),
    }
    try:
        kept = path.read_bytes() if path.exists() else b""
        if any(_trace_of(line) == trace_id for line in kept.splitlines()):
            return False
        with path.open("ab") as file:
            separator = b"\n" if kept and not kept.endswith(b"\n") else b""
            file.write(separator + json.dumps(row).encode() + b"\n")
    except OSError as error:
        raise InvalidArgumentError(
            f"{path} cannot be read or written ({error.strerror}): name a file that can."
        ) from None
    return True


def _trace_of(line: bytes) -> object:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row.get("trace_id") if isinstance(row, dict) else None


def _text(content: Any, pointer: str) -> str | None:
    found = _at(content, pointer)
    if found is _MISSING or found is None:
        return None
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _at(content: Any, pointer: str) -> Any:
    """What a JSON pointer finds; OpenTelemetry's attributes hold documents as texts."""
    if pointer and isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return _MISSING
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(content, dict) and name in content:
            content = content[name]
        elif isinstance(content, list) and name.isascii() and name.isdigit() and int(name) < len(content):
            content = content[int(name)]
        else:
            return _MISSING
    return content


def _pointer(argument: str, value: object) -> str:
    if not isinstance(value, str) or not _POINTER.fullmatch(value):
        raise InvalidArgumentError(f'{argument}={str(value)[:60]!r} is no JSON pointer: write one as in "/answer".')
    return value


def _answer(argument: str, value: object) -> str | list[str]:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value and all(isinstance(each, str) for each in value):
        return list(value)
    raise InvalidArgumentError(f"{argument}= must hold a text, or a list of texts that are all accepted.")


def _digest(said: object) -> str:
    try:
        text = json.dumps(said, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"grader= holds what JSON cannot ({error}): use texts, numbers and lists.") from None
    return hashlib.sha256(text.encode()).hexdigest()[:8]
