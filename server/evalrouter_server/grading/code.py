"""From an answer to a program: what of it is code, and how it is put together with the tests. Nothing is run here.

The code is a fenced block: the last one that defines what the tests use, else the last one of all; a block that is
never closed goes to the end. An answer without a fence is code as a whole if a line of it looks like Python. Where the
prompt is the beginning of a function, an answer that does not define that function is its body, which is put behind the
prompt; an answer that does keeps what stands in the prompt before the function, such as imports and helpers.
"""

import re
from collections.abc import Mapping
from textwrap import indent

from pydantic import JsonValue

from evalrouter_server.grading.completion import without_thinking
from evalrouter_server.grading.spec import CodeGrader

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<language>[\w+.-]*)[^\n]*\n", re.MULTILINE)
_PYTHON = frozenset({"", "python", "python3", "py", "py3"})
_LOOKS_LIKE_PYTHON = re.compile(
    r"^[ \t]*(?:(?:async )?def |class |import |from \w|(?:return|raise|yield|pass|assert)\b"
    r"|(?:for|while|if|with) .*:|try:|@\w|[\w.\[\]]+ *[-+*/|&]?= *\S)",
    re.MULTILINE,
)
_CLOSING = frozenset(")]}\"'")
_DEFINED = re.compile(r"^(?:(?:async )?def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=(?!=)", re.MULTILINE)


def extract(
    grader: CodeGrader, *, output: str, inputs: Mapping[str, JsonValue], target: Mapping[str, JsonValue]
) -> str | None:
    """The code of an answer, as it will stand in the program before the tests.

    Args:
        grader: The grader.
        output: The whole text of the answer.
        inputs: The item's inputs; `grader.completes` names the one that the answer goes on with.
        target: The item's target.

    Returns:
        The code; None where the answer has none.
    """
    code = _code_in(without_thinking(output), _tests(target) + str(target.get("entry_point", "")))
    if code is None or grader.completes is None:
        return code
    return _completed(str(inputs[grader.completes]), code, str(target["entry_point"]))


def assemble(grader: CodeGrader, code: str, target: Mapping[str, JsonValue]) -> str:
    """The program: the set-up, the code, the tests, and what calls them.

    Args:
        grader: The grader.
        code: The answer's code.
        target: The item's target: `tests`, a text or a list of texts; `entry_point`, the name of what is tested, where
            the grader needs it; `setup`, what comes between the code and the tests, if anything does.

    Raises:
        ValueError: The target has no tests, or lacks what the grader needs beside them.
    """
    tests = _tests(target)
    if not tests.strip():
        raise ValueError("the target of a code grader must have its tests, a text or a list of texts, under 'tests'")
    if grader.completes is not None and not isinstance(target.get("entry_point"), str):
        raise ValueError("the target of a grader that completes a function must have its name under 'entry_point'")
    try:
        call = "" if grader.call is None else grader.call.format_map(target)
    except (KeyError, IndexError) as error:
        raise ValueError(f"the grader's call needs {error} in the target, which has only {sorted(target)}") from error
    return "\n".join([code, str(target.get("setup") or ""), tests, call, ""])


def _tests(target: Mapping[str, JsonValue]) -> str:
    tests = target.get("tests")
    return "\n".join(map(str, tests)) if isinstance(tests, list) else str(tests or "")


def _code_in(text: str, used: str) -> str | None:
    blocks = _fenced(text)
    if blocks:
        names = set(re.findall(r"\w+", used))
        fitting = [block for block in blocks if names & _defined(block)]
        return (fitting or blocks)[-1]
    return text.strip("\n") if _LOOKS_LIKE_PYTHON.search(text) else None


def _fenced(text: str) -> list[str]:
    """The fenced blocks of Python, or of no language."""
    blocks = []
    place = 0
    while opening := _FENCE.search(text, place):
        closing = re.compile(rf"^[ \t]*{opening['mark']}[ \t]*$", re.MULTILINE).search(text, opening.end())
        place = len(text) if closing is None else closing.end()
        block = text[opening.end() : place if closing is None else closing.start()]
        if opening["language"].lower() in _PYTHON and block.strip():
            blocks.append(block.rstrip())
    return blocks


def _defined(code: str) -> set[str]:
    return {name for match in _DEFINED.finditer(code) for name in match.groups() if name}


def _completed(prompt: str, code: str, entry_point: str) -> str:
    if entry_point in _defined(code):
        start = re.search(rf"^(?:async )?def[ \t]+{re.escape(entry_point)}\b", prompt, re.MULTILINE)
        return prompt[: start.start() if start else 0] + code
    return prompt.rstrip() + "\n" + _body(code)


def _body(code: str) -> str:
    """The code as a function's body: indented where it is not, and cut where something at the margin follows it."""
    lines = code.split("\n")
    if not _is_at_margin(lines[0]):
        end = next((number for number, line in enumerate(lines) if _is_at_margin(line)), len(lines))
        return "\n".join(lines[:end])
    rest = [line for line in lines[1:] if line.strip()]
    lost_its_indent = rest and all(line.startswith("    ") for line in rest)
    if lost_its_indent and (not lines[0].rstrip().endswith(":") or rest[0].startswith("      ")):
        return "    " + code
    return indent(code, "    ")


def _is_at_margin(line: str) -> bool:
    return bool(line) and not line[0].isspace() and line[0] not in _CLOSING
