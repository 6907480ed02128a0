"""What a task asks, out of its prompt: the question without the instructions and examples around it; pure."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import Formatter
from typing import Any

PREFERRED = "question"
"""The input that is the question where it has a line of its own behind others, such as a passage."""

EXAMPLES = "examples"
"""The place of worked examples in a template."""


def questions_of(template: str | None, inputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The question of each prompt: its last message, less what the template puts around the question.

    A prompt that is not of the template's form is taken as it is, and without a template the whole lines are left out
    with which all the prompts begin and end.

    Args:
        template: The user message's template; None: it is not known, as of another harness's task.
        inputs: What a model was given for each task.
    """
    asked = [_last_message(each) for each in inputs]
    if template is not None:
        return [_filled_in(template, text) or text for text in asked]
    return _without_shared_lines(asked)


def _last_message(inputs: Mapping[str, Any]) -> str:
    messages = inputs.get("messages")
    if isinstance(messages, list):
        return str(messages[-1].get("content") or "") if messages else ""
    return "\n".join(str(value) for value in inputs.values())


def _filled_in(template: str, text: str) -> str | None:
    """What a text has from the template's question to the words behind the last input; None where it does not fit."""
    before, last = _parts(template)
    names = [name for _, name in before]
    start = next((place for place, name in enumerate(names) if name != EXAMPLES), None)
    if PREFERRED in names and "\n" in before[names.index(PREFERRED)][0]:
        start = names.index(PREFERRED)
    if start is None or not text.endswith(last):
        return None
    end, literal = len(text) - len(last), before[start][0]
    if start == 0:
        return text[len(literal) : end] if text.startswith(literal) else None
    found = text.rfind(literal, 0, end) if literal else -1
    return None if found < 0 else text[found + len(literal) : end]


def _parts(template: str) -> tuple[list[tuple[str, str]], str]:
    """The template's inputs, each with the words before it, and the words behind the last."""
    parts, words = [], ""
    for literal, name, _, _ in Formatter().parse(template):
        words += literal
        if name is not None:
            parts.append((words, name))
            words = ""
    return parts, words


def _without_shared_lines(texts: Sequence[str]) -> list[str]:
    lines = [text.split("\n") for text in texts]
    if len(set(texts)) < 2:
        return list(texts)
    head = _shared(lines)
    rest = [each[head:] for each in lines]
    tail = _shared([each[::-1] for each in rest])
    return ["\n".join(each[: len(each) - tail]) for each in rest]


def _shared(texts: Sequence[Sequence[str]]) -> int:
    """With how many lines all texts begin; of none of them it is all."""
    same = takewhile(lambda lines: len(set(lines)) == 1, zip(*texts, strict=False))
    return min(sum(1 for _ in same), min(map(len, texts)) - 1)
