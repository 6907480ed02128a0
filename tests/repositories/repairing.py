"""A provider's double that repairs the repositories of small-repairs by tools of an agent that edits files."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scripts.small_repairs import files_in, rows
from tests.upstreams.scripted import Handler
from tests.upstreams.tool_calls import use_tools_then_answer

TASKS = {str(row["task"]): str(row["name"]) for row in rows()}


def repair_with_opencode() -> Handler:
    """Have opencode read what there is and write what the benchmark's own solution has."""
    return use_tools_then_answer(_steps, lambda body: "Repaired." if body.get("tools") else "A title")


def task_of(body: dict[str, Any]) -> str:
    """The name of the task that a request is about."""
    said = json.dumps(body["messages"])
    (name,) = (name for text, name in TASKS.items() if json.dumps(text)[1:-1] in said)
    return name


def _steps(body: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    name = task_of(body)
    before = files_in(name, "repository")
    for path, content in files_in(name, "solution").items():
        if path in before:
            yield "read", {"filePath": path}
        yield "write", {"filePath": path, "content": content}
