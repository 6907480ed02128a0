r"""Multiple choice: find the letter of the choice that the model gives as its answer.

Thinking and run-on text are cut first. Then, in this order:

1. `marker`: the last explicit statement decides: `ANSWER: C`, `The answer is (C)`, `"answer": "C"`, `\boxed{C}`,
   `C is correct`, `答案：C`. Behind a marker the choice is its letter or its own text; a letter that is denied ("not B;
   it is D") is passed over. A marker that names none of the choices is no answer where it opens its line or sentence
   and has a colon (`ANSWER: don't know`), a refusal or another letter behind it; elsewhere it is passed over as prose.
2. `letter`: a line that is nothing but one letter (`C`, `(C)`, `**C.**`); the last one counts.
3. `label`: a line that opens with a letter as a label (`C. A quiet harbour`, `(C) 12`), or a letter in bold.
4. `choice_text`: the first line that is not empty, or else the last, is the text of a choice or a short phrase (at most
   12 words) that holds one.

Two choices at once (`A or C`, labels of different letters) are a `contradiction`, which is no answer. Of an output that
the token limit cut off, only markers and the first line count. A capital A or I before a word is an English word.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import ascii_uppercase

from pydantic import JsonValue

from evalrouter_server.grading.completion import final_text
from evalrouter_server.grading.short_answer import LONGEST_PHRASE, words
from evalrouter_server.grading.spec import MultipleChoiceGrader, Verdict

_REACH = 400
"""Characters behind a marker, and of a line, in which a choice is looked for."""

_STATEMENTS = 50
"""How many of the last statements are looked at, so that no output costs much work."""

_ASCII = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width forms, as East Asian text has them, to the characters that they are forms of."""

_STATEMENT = re.compile(
    r"""
      (?P<marker>
          \b (?: answer | ans ) ["'*_ ]* (?: : | =(?!=) )
        | \b answer [ ] (?: [-–—] [ ] )? (?= [(\[*]* [A-Z] [)\]*.]* \s* $ )
        | \b (?: answer | (?: correct | right | best ) [ ] (?: option | choice ) | my [ ] choice )
          (?: [ ] is | [ ] would[ ]be | [ ] will[ ]be | [ ] must[ ]be | [ ] should[ ]be | 's ) \b [ ]* :?
        | <answer>
        | \b I (?: [ ]will | [ ]would | ['’]d | ['’]ll )? [ ] (?: choose | pick | select | go[ ]with | go[ ]for ) \b
        | \b (?: hence | so | therefore | thus ) \b ,? [ ] (?= [(\[*]* [A-Z] [)\]*]* [.!]? \s* $ )
        | 答案 [*_ ]* (?: 应该是 | 应为 | 是 | 为 | 选 )? [ ]* :?
        | (?: 只有 | 选择 | 选 ) (?: 选项 )? :? (?= [ ]* \(? [A-Z] )
      )
    | (?P<box> \\boxed \s* \{ )
    | (?<![A-Za-z0-9]) \(? (?P<subject> [A-Z] ) \)? \*{0,2}
      (?: [ ] (?: is | must[ ]be ) [ ] (?: the [ ] )? (?: only [ ] )? (?: correct | right | (?: best [ ] )? answer ) \b
        | (?: 选项 )? 是? (?: 对 | 正确 ) )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_WRAPPING = r"""(?: [\s*_$"'`(\[{] | \\\( | \\\[ | \\(?:text|mathrm|mathbf|textbf|rm|boxed)\b )*"""
_STANDS_ALONE = r"(?! [A-Za-z0-9] | ['’][a-z] | [ ]?[+=^×] | -[A-Za-z0-9] )"
_LETTER = re.compile(
    rf"""
    (?: \A
      | \b (?P<lead> option | choice | letter | is | be | it's | clearly | therefore | thus | likely | rather | but )
        [ :]
      | (?P<wrapped> [(*] ) | 选项? )
    {_WRAPPING} (?P<letter> [A-Za-z] ) {_STANDS_ALONE}
    """,
    re.VERBOSE,
)
_SECOND = re.compile(
    rf"""
    [\s*_$"'`)\]}}.]{{0,9}} (?: , | / | & | \b(?:and|or)\b | 和 | 或 )
    \s* (?: (?:and|or|possibly|maybe|perhaps|option|choice) \s )* [\s*_$"'`(\[{{]{{0,9}}
    (?P<letter> [A-Z] ) {_STANDS_ALONE}
    """,
    re.VERBOSE,
)
_WORD_AFTER_ARTICLE = re.compile(
    r"""
    [ ]+ (?! (?: because | as | since | is | was | and | or | but | for | which | not | given | due | with | by | from
               | in | if | based | would | according ) \b ) [a-z]
    """,
    re.VERBOSE,
)
_DENIAL = re.compile(
    r"(?: \b (?:not|never|neither|nor|cannot) | n['’]t | 不 ) \W* (?:\w+\W+){0,1} \Z", re.VERBOSE | re.IGNORECASE
)
_UNASSERTED = re.compile(
    r"""
    (?: \b (?:wrong|incorrect) [^\w.!?;:\n]*
      | (?: \b (?:if|whether|suppose|assume|assuming) \b
          | (?: \b (?:not|never) | n['’]t ) [ ] (?:think|believe|say|mean|clear|certain|sure|true|the[ ]case) \b
          | 不 )
        [^.,!?;:\n，。]*
    ) \Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_REFUSAL = re.compile(
    rf"{_WRAPPING} (?: (?:not|none|no|neither|unknown|unclear|undetermined) \b | [B-HJ-Z] {_STANDS_ALONE} )", re.VERBOSE
)
_LETTER_LINE = re.compile(
    r"""
    ^ [ \t*_#>$`"'(\[{]* (?: (?:[Oo]ption|[Cc]hoice) [ ] \(? )? (?: \\(?:text|boxed) [ ]? \{ )?
    (?P<letter> [A-Z] ) [ \t*_$`"')\]}.:,]* \r? $
    """,
    re.VERBOSE | re.MULTILINE,
)
_LABEL = re.compile(
    r"^ [ \t*_#>\-]* (?: \( (?P<round> [A-Z] ) \) | (?P<dotted> [A-Z] ) [.):] (?= [\s*_] ) )"
    r" | \*\* \(? (?P<bold> [A-Z] ) [).:]* \*\*",
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Choices:
    """The letters of an item, and the normal forms of its choices' texts where they are known."""

    letters: str
    texts: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """What a rule found: a letter, or None where it decides that there is no answer."""

    letter: str | None
    rule: str


_CONTRADICTION = _Found(None, "contradiction")
_NO_ANSWER = _Found(None, "no_answer")


def grade(
    grader: MultipleChoiceGrader, *, output: str, target: Mapping[str, JsonValue], finish_reason: str | None
) -> Verdict:
    """Grade a multiple-choice answer; see `evalrouter_server.grading.grade`."""
    choices = _choices(grader, target)
    gold = str(target.get("answer", "")).strip("() ")
    if len(gold) != 1 or gold not in choices.letters:
        raise ValueError(
            f"the target of a multiple-choice grader must be one of {choices.letters[0]} to {choices.letters[-1]}"
            f" under 'answer', not {target.get('answer')!r}"
        )
    completion = final_text(output, finish_reason)
    found = _find(completion.text.translate(_ASCII), choices, completion.cut_off)
    return Verdict.of(found.letter == gold, found.letter, found.rule)


def _choices(grader: MultipleChoiceGrader, target: Mapping[str, JsonValue]) -> _Choices:
    texts = target.get("choices")
    if texts is None and grader.choices is not None:
        return _Choices(ascii_uppercase[: grader.choices], ())
    if not isinstance(texts, list) or not 2 <= len(texts) <= len(ascii_uppercase):
        raise ValueError(
            "a multiple-choice grader takes 2 to 26 choices: as a list under the target's 'choices', or their number as"
            f" the grader's 'choices'; the target has {texts!r}"
        )
    return _Choices(ascii_uppercase[: len(texts)], tuple(tuple(words(str(text))) for text in texts))


def _find(text: str, choices: _Choices, cut_off: bool) -> _Found:
    if (stated := _stated(text, choices)) is not None:
        return stated
    lines = _outer_lines(text)
    if cut_off:
        text = lines[0]
        lines = lines[:1]
    letters = [match["letter"] for match in _LETTER_LINE.finditer(text) if match["letter"] in choices.letters]
    if letters:
        return _Found(letters[-1], "letter")
    labels = {match[match.lastgroup or 0] for match in _LABEL.finditer(text)} & set(choices.letters)
    if labels:
        return _Found(labels.pop(), "label") if len(labels) == 1 else _CONTRADICTION
    for line in lines:
        if (found := _choice_text(line, choices)) is not None:
            return found
    return _NO_ANSWER


def _stated(text: str, choices: _Choices) -> _Found | None:
    """What the last statement that decides says; None where none does."""
    for statement in reversed(deque(_STATEMENT.finditer(text), maxlen=_STATEMENTS)):
        decided = _decision(statement, text, choices)
        if decided is not None:
            return decided
    return None


def _decision(statement: re.Match[str], text: str, choices: _Choices) -> _Found | None:
    before = text[max(0, statement.start() - 40) : statement.start()]
    if statement["subject"]:
        is_stated = statement["subject"] in choices.letters and not _UNASSERTED.search(before)
        return _Found(statement["subject"], "marker") if is_stated else None
    if not statement["box"] and _UNASSERTED.search(before):
        return None
    clause = _behind(text, statement.end())
    found = _choice_in(clause, choices)
    if found is None and statement["marker"] and _opens(before):
        has_colon = statement["marker"][-1] in ":=" or clause.startswith(":")
        return _NO_ANSWER if has_colon or _REFUSAL.match(clause) else None
    return found


def _opens(before: str) -> bool:
    """Whether a marker with this before it opens its line or sentence, a few words aside."""
    clause = re.split(r"[.!?;:\n{,]", before)[-1]
    return len(clause.split()) <= 3


def _behind(text: str, start: int) -> str:
    """The rest of the line, or the next line that says something where the rest is only markup or ends in a colon."""
    lines = (line.strip() for line in text[start : start + _REACH].splitlines())
    return next((line for line in lines if line.strip("*_#$[](){}\\ \t") and not line.endswith(":")), "")


def _choice_in(clause: str, choices: _Choices) -> _Found | None:
    """The choice that a clause names by its letter or its text; None where it names none."""
    for match in _LETTER.finditer(clause):
        letter = match["letter"].upper()
        if (
            letter in choices.letters
            and _is_letter(match, clause)
            and not _DENIAL.search(clause[: match.start("letter")])
        ):
            second = _SECOND.match(clause, match.end())
            is_double = second is not None and second["letter"] in choices.letters and second["letter"] != letter
            return _CONTRADICTION if is_double else _Found(letter, "marker")
    return _choice_text(clause, choices, rule="marker")


def _is_letter(match: re.Match[str], clause: str) -> bool:
    """Whether what could be a letter is one: not an article or pronoun, and a capital unless it stands by itself."""
    letter, rest = match["letter"], clause[match.end() :]
    if letter.islower():
        return match["lead"] in (None, "option", "choice", "letter", "is") and not re.match(r"[ ]+\w|\w", rest)
    return letter not in "AI" or match["wrapped"] is not None or not _WORD_AFTER_ARTICLE.match(rest)


def _choice_text(clause: str, choices: _Choices, rule: str = "choice_text") -> _Found | None:
    """The choice whose own text a clause holds as whole words; longer texts hide those that they hold."""
    said = words(clause[:_REACH])
    if len(said) > LONGEST_PHRASE:
        return next((_Found(letter, rule) for letter, text in _lettered(choices) if tuple(said) == text), None)
    held = [
        (letter, text)
        for letter, text in _lettered(choices)
        if text and any(tuple(said[start : start + len(text)]) == text for start in _starts(said, text))
    ]
    held = [(letter, text) for letter, text in held if not any(_is_within(text, other) for _, other in held)]
    if len(held) > 1:
        return _CONTRADICTION
    if not held or {"not", "isnt", "neither", "cannot"} & set(said):
        return None
    return _Found(held[0][0], rule)


def _lettered(choices: _Choices) -> Iterator[tuple[str, tuple[str, ...]]]:
    return zip(choices.letters, choices.texts, strict=False)


def _starts(said: list[str], text: tuple[str, ...]) -> Iterator[int]:
    return (start for start in range(len(said) - len(text) + 1) if said[start] == text[0])


def _is_within(text: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(text) < len(other) and any(other[start : start + len(text)] == text for start in range(len(other)))


def _outer_lines(text: str) -> list[str]:
    """The first and the last line that are not empty."""
    text = text.strip()
    return [text.partition("\n")[0], text.rpartition("\n")[2]]
