"""Numbers as models write them, read exactly as fractions."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

_MAX_DIGITS = 400
"""Longer numerals and larger exponents are no answers; they would only cost memory."""

_LAST = 50
"""How many of a text's last numerals are read in search of its last number."""

_MINUS = "-\u2212\u2013\ufe63\uff0d"
_DIGITS = r"(?:\d{1,3}(?:(?:,|\{,\}|\\,|\\ |[\u00a0\u2009\u202f])\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_CURRENCY = r"(?:\\?[$€£¥₹₽₩₪₫₱₴₦]|USD|EUR|GBP|CHF|JPY|INR)"
_NUMBER = re.compile(
    rf"""
    (?: (?P<minus>[{_MINUS}]) [ ]? )?
    (?: {_CURRENCY} [ ]? (?P<inner_minus>[{_MINUS}])? )?
    (?:
        \\[dt]?frac \s* \{{ \s* (?P<over>{_DIGITS}) \s* \}} \s* \{{ \s* (?P<under>{_DIGITS}) \s* \}}
      |
        (?P<value>{_DIGITS})
        (?:
            \s? (?:\\times|\\cdot|×|x|\*|·) \s? 10 \s? (?:\^|\*\*) \s? \{{? (?P<power>[{_MINUS}+]?\d+) \}}?
          | [eE] (?P<exponent>[{_MINUS}+]?\d+) (?!\w)
          | \s? [/⁄] \s? (?P<divisor>{_DIGITS}) (?!\s?[/⁄]?\d)
          | [ ] (?P<part>\d+) [/⁄] (?P<whole>\d+) (?![/⁄]?\d)
        )?
    )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number found in a text.

    Attributes:
        value: Its exact value.
        text: How it is written there.
        start: Where it starts.
    """

    value: Fraction
    text: str
    start: int


def find_numbers(text: str) -> Iterator[Number]:
    """The numbers of a text, in order.

    Thousands separators, currency signs, percent signs (at face value), fractions, mixed numbers and powers of ten are
    understood; the dot is always the decimal point. A dash is a sign only where no operand stands before it: `30-18`
    and `30 - 18` hold 30 and 18, `(-3)` and `is -3` hold -3.
    """
    return _read(_NUMBER.finditer(text), text)


def last_number(text: str) -> Number | None:
    """The last number of a text; None where there is none."""
    return next(_read(reversed(deque(_NUMBER.finditer(text), maxlen=_LAST)), text), None)


def parse_number(text: str) -> Fraction | None:
    """The number that a text consists of; None where it is not exactly one number."""
    numbers = list(find_numbers(text))
    return numbers[0].value if len(numbers) == 1 and numbers[0].text == text.strip() else None


def _read(matches: Iterator[re.Match[str]], text: str) -> Iterator[Number]:
    for match in matches:
        value = _value(match)
        if value is not None:
            yield Number(-value if _is_negative(match, text) else value, match.group().strip(), match.start())


def _is_negative(match: re.Match[str], text: str) -> bool:
    if match["inner_minus"]:
        return True
    if not match["minus"]:
        return False
    start = match.start()
    end_of_operand = start
    while end_of_operand and text[end_of_operand - 1] == " ":
        end_of_operand -= 1
    operand = text[max(0, end_of_operand - 1) : end_of_operand]
    if operand and (operand.isdigit() or operand in ")]}%"):
        return False
    if not operand or operand in ":=({[,":
        return True
    is_bullet_or_dash = text[match.end("minus")] == " "
    return not is_bullet_or_dash and not text[start - 1].isalnum()


def _value(match: re.Match[str]) -> Fraction | None:
    if len(match.group()) > _MAX_DIGITS:
        return None
    if match["over"] is not None:
        return _quotient(_fraction(match["over"]), _fraction(match["under"]))
    value = _fraction(match["value"])
    if power := match["power"] or match["exponent"]:
        exponent = int(re.sub(rf"[{_MINUS}]", "-", power))
        return value * Fraction(10) ** exponent if abs(exponent) <= _MAX_DIGITS else None
    if match["divisor"] is not None:
        return _quotient(value, _fraction(match["divisor"]))
    if match["part"] is not None:
        part = _quotient(Fraction(match["part"]), Fraction(match["whole"]))
        return None if part is None else value + part
    return value


def _fraction(digits: str) -> Fraction:
    return Fraction(re.sub(r"[^\d.]", "", digits))


def _quotient(over: Fraction, under: Fraction) -> Fraction | None:
    return over / under if under else None
