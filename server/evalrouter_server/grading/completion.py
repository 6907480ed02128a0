"""What of an output is the model's final text: thinking and run-on text are cut away before an answer is looked for."""

import re
from dataclasses import dataclass

_THINKING_TAG = re.compile(r"<(?P<close>/?)(?P<name>think|thinking|reasoning)>", re.IGNORECASE)
_NEXT_QUESTION = re.compile(
    r"^[ \t]*(?:[#*]+[ \t]*)?(?:(?:Question|Problem|Exercise|Q|Human|User)(?:[ \t]*\d+)?[ \t]*:|<\|im_start\|>)",
    re.MULTILINE,
)
_SUBSTANCE = re.compile(r"\d|answer", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Completion:
    """The final text of an output.

    Attributes:
        text: The text.
        cut_off: Whether the token limit ended it, so that its last words are not a conclusion.
    """

    text: str
    cut_off: bool


def final_text(output: str, finish_reason: str | None) -> Completion:
    """Cut thinking and run-on text.

    A line that opens another question ends the answer, if something with a number or an answer stands before it:
    a model that first restates its own question is not cut.

    Args:
        output: The whole output.
        finish_reason: Why the model stopped; `length` is the token limit.

    Returns:
        The final text; empty where the output never came out of its thinking.
    """
    text = without_thinking(output)
    substance = _SUBSTANCE.search(text)
    opening = _NEXT_QUESTION.search(text, substance.end()) if substance else None
    if opening is not None:
        return Completion(text[: opening.start()], cut_off=False)
    return Completion(text, cut_off=finish_reason == "length")


def without_thinking(output: str) -> str:
    """The text without closed blocks, what stands before a tag that only closes, what follows one that only opens.

    Args:
        output: The whole output.
    """
    last_close = {tag["name"].lower(): tag.start() for tag in _THINKING_TAG.finditer(output) if tag["close"]}
    kept, place, inside = [], 0, None
    for tag in _THINKING_TAG.finditer(output):
        name = tag["name"].lower()
        if inside is None and not tag["close"] and tag.start() < last_close.get(name, 0):
            kept.append(output[place : tag.start()])
            inside = name
        elif inside == name and tag["close"]:
            place, inside = tag.end(), None
    text = "".join([*kept, output[place:]])
    start = 0
    for tag in _THINKING_TAG.finditer(text):
        start = tag.end() if tag["close"] else start
    text = text[start:]
    opening = _THINKING_TAG.search(text)
    return text if opening is None else text[: opening.start()]
