"""Where a text answer stands in the final text of an output."""

import re
from dataclasses import dataclass

from evalrouter_server.grading.completion import Completion
from evalrouter_server.grading.spec import After, Extraction

LONGEST_ANSWER = 20_000
"""Characters of an answer; what stands behind them is not read, so that no output costs much work."""

_MARKER = re.compile(r"\b(?:answer[*_ ]*:|answer is\b:?)", re.IGNORECASE)
_MARKUP = ' \t*_#>`"'


@dataclass(frozen=True, slots=True)
class Answer:
    """A text answer.

    Attributes:
        text: The answer, without outer white space.
        rule: The rule that found it: `marker`, `first_line`, `after` or `whole`.
    """

    text: str
    rule: str


def find_answer(extraction: Extraction, completion: Completion) -> Answer | None:
    """The answer in a final text; None where there is none."""
    if isinstance(extraction, After):
        return _after(extraction, completion.text)
    if extraction == "whole":
        return _answer(completion.text, "whole")
    return _marked_or_first_line(completion.text)


def _marked_or_first_line(text: str) -> Answer | None:
    end, rule = 0, "first_line"
    for marker in _MARKER.finditer(text):
        end, rule = marker.end(), "marker"
    lines = (line.group().strip(_MARKUP) for line in re.finditer(r"[^\r\n]+", text[end:]))
    return _answer(next((line for line in lines if line), ""), rule)


def _after(extraction: After, text: str) -> Answer | None:
    places = [(text.find if extraction.which == "first" else text.rfind)(mark) for mark in extraction.after]
    ends = [place + len(mark) for place, mark in zip(places, extraction.after, strict=True) if place >= 0]
    if not ends:
        return None
    rest = text[min(ends) if extraction.which == "first" else max(ends) :].lstrip()
    return _answer(rest.partition("\n")[0] if extraction.until == "line" else rest, "after")


def _answer(text: str, rule: str) -> Answer | None:
    text = text.strip()[:LONGEST_ANSWER]
    return Answer(text, rule) if text else None
