"""What of an output is the model's final text: thinking and run-on text are cut away before an answer is looked for."""

import re
from dataclasses import dataclass

_CLOSED_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.IGNORECASE | re.DOTALL)
_HEADLESS_THINKING = re.compile(r"\A.*</(?:think|thinking|reasoning)>", re.IGNORECASE | re.DOTALL)
_OPEN_THINKING = re.compile(r"<(?:think|thinking|reasoning)>.*\Z", re.IGNORECASE | re.DOTALL)
_NEXT_QUESTION = re.compile(
    r"^[ \t]*(?:[#*]+[ \t]*)?(?:(?:Question|Problem|Exercise|Q|Human|User)(?:[ \t]*\d+)?[ \t]*:|<\|im_start\|>)",
    re.MULTILINE,
)


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
    text = _CLOSED_THINKING.sub("", output)
    text = _HEADLESS_THINKING.sub("", text)
    text = _OPEN_THINKING.sub("", text)
    for opening in _NEXT_QUESTION.finditer(text):
        if re.search(r"\d|answer", text[: opening.start()], re.IGNORECASE):
            return Completion(text[: opening.start()], cut_off=False)
    return Completion(text, cut_off=finish_reason == "length")
