r"""Mathematical answers: find the expression that the model gives as its answer and ask whether it equals the target's.

The answer is the contents of the last `\boxed{...}`; else what follows the last marker (`ANSWER:`, `The answer is`) on
its line; else the last formula between dollar signs or in `\[...\]`; else the last line. Of an output that the token
limit cut off, only a box or a marker counts. Two expressions are equal where they are written the same or where
math-verify finds them to be the same value, set, interval, equation or matrix: `0.5` is `\frac12`, `x=5` is `5`, `\pi`
is not `3.14`.
"""

import logging
import re
from collections import deque
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from evalrouter_server.grading.completion import Completion, final_text
from evalrouter_server.grading.extraction import Answer
from evalrouter_server.grading.markers import BOX, braced, last_line_behind_marker
from evalrouter_server.grading.spec import MathGrader, Verdict
from evalrouter_server.grading.targets import accepted_texts

LONGEST_EXPRESSION = 1_000
"""Characters of an expression; a longer one is no answer."""

type Equality = Callable[[str, str], bool | None]
"""Whether an expected expression and a found one are equal; None where that could not be told within a limit."""

_FORMULA = re.compile(r"\$\$(?P<display>[^$]+)\$\$|\$(?P<inline>[^$]+)\$|\\\[(?P<bracket>[^\[\]]+)\\\]")
_WRAPPING = re.compile(r"\A(?:\$+|\\\[|\\\()\s*|\s*(?:\$+|\\\]|\\\)|[.,;])\Z")


def grade(
    grader: MathGrader,
    *,
    output: str,
    target: Mapping[str, JsonValue],
    finish_reason: str | None,
    equality: Equality | None = None,
) -> Verdict:
    """Grade a mathematical answer; see `evalrouter_server.grading.grade`.

    `equality` compares two expressions; None: `equal`, whose time has no bound. Where it cannot tell within its limit,
    the rule is `limit` and the answer wrong.
    """
    accepted = [_bare(text) for text in accepted_texts(target)]
    answer = find_expression(final_text(output, finish_reason))
    if answer is None:
        return Verdict.none()
    if answer.text in accepted:
        return Verdict.of(True, answer.text, answer.rule)
    found = [(equality or equal)(text, answer.text) for text in accepted]
    rule = "limit" if None in found and True not in found else answer.rule
    return Verdict.of(True in found, answer.text, rule)


def find_expression(completion: Completion) -> Answer | None:
    """The expression that a final text gives as its answer; None where there is none."""
    text, rule = _find(completion)
    text = _bare(text)
    return Answer(text, rule) if 0 < len(text) <= LONGEST_EXPRESSION else None


def equal(expected: str, found: str) -> bool:
    """Whether math-verify finds two expressions equal. Takes as long as it takes: some powers never end."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    readings = (LatexExtractionConfig(), ExprExtractionConfig())
    read = [parse(f"${text}$", readings, parsing_timeout=None) for text in (expected, found)]
    return bool(verify(*read, timeout_seconds=None))


def _find(completion: Completion) -> tuple[str, str]:
    text = completion.text
    if last_box := deque(BOX.finditer(text), maxlen=1):
        return braced(text, last_box[0].end()), "boxed"
    if (marked := last_line_behind_marker(text)) is not None:
        formula = _FORMULA.search(marked)
        return formula.group() if formula else marked, "marker"
    if completion.cut_off:
        return "", "no_answer"
    if last_formula := deque(_FORMULA.finditer(text), maxlen=1):
        return last_formula[0].group(), "last_formula"
    return text.strip().rpartition("\n")[2], "last_line"


def _bare(text: str) -> str:
    """An expression without the marks around it and a full stop behind it."""
    text = text.strip(" \t\r\n*`")
    while (bare := _WRAPPING.sub("", text)) != text:
        text = bare.strip()
    return text
