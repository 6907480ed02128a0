"""Short text answers, found inside a short phrase.

The answer is what stands after the last marker (`ANSWER:`, `The answer is`) on its line, else the first line of the
final text that is not empty. Both sides are brought to a normal form: Unicode NFKD without combining marks, lower case,
punctuation as spaces, thousands separators and English articles dropped. The answer is
right if its normal form is an accepted one, or if it is a short phrase (at most 12 words) that holds an accepted answer
as whole words, in order, with no denial before it ("not", "isn't") and no "or" beside it. So "The capital is Paris." is
right for "Paris", while "Parisian", "not Paris" and "Paris or Rome" are not, and a long list of guesses does not pass.
An accepted answer that is nothing but an article ("A") must be the whole answer.
"""

import re
import unicodedata
from collections.abc import Mapping

from pydantic import JsonValue

from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.extraction import find_answer
from evalrouter_server.grading.spec import ShortAnswerGrader, Verdict
from evalrouter_server.grading.targets import accepted_texts

LONGEST_PHRASE = 12
"""Words, articles aside, of the longest answer in which an accepted answer is looked for."""

_ARTICLES = frozenset({"a", "an", "the"})
_DENIALS = frozenset({"not", "isnt", "wasnt", "arent", "never", "cannot", "cant"})


def grade(
    grader: ShortAnswerGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None
) -> Verdict:
    """Grade a short text answer; see `evalrouter_server.grading.grade`."""
    accepted = accepted_texts(target)
    answer = find_answer("answer", final_text(output, finish_reason))
    if answer is None:
        return Verdict.none()
    return Verdict.of(_holds_one(words(answer.text), accepted), answer.text, answer.rule)


def words(text: str) -> list[str]:
    """The words of a text's normal form."""
    decomposed = unicodedata.normalize("NFKD", text.replace("\u2212", "-"))
    plain = "".join(character for character in decomposed if not unicodedata.combining(character)).casefold()
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))|['’]", "", plain)
    plain = re.sub(r"(?<!\w)-(?=\d)", " minus ", plain)
    found = re.findall(r"\d+\.\d+|\w+", plain.replace("_", " "))
    return [word for word in found if word not in _ARTICLES] or found


def _holds_one(found: list[str], answers: list[str]) -> bool:
    accepted = [words(answer) for answer in answers]
    if found in accepted:
        return True
    return len(found) <= LONGEST_PHRASE and any(_holds(found, answer) for answer in accepted)


def _holds(found: list[str], answer: list[str]) -> bool:
    for start in range(len(found) - len(answer) + 1):
        if found[start : start + len(answer)] == answer:
            end = start + len(answer)
            beside = found[max(0, start - 1) : start] + found[end : end + 1]
            return _DENIALS.isdisjoint(found[:start]) and "or" not in beside
    return False
