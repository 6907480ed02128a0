"""From a source's rows to normalised ones: which field of a row is which input, the target, the group."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, JsonValue, model_validator

from evalrouter_server.catalog.origins import Frozen

type Row = Mapping[str, JsonValue]


def _as_value(given: object) -> object:
    return {"field": given} if isinstance(given, str) else given


class _Value(Frozen):
    r"""How a value is made of a row: one field, or several as a list, then changed step by step.

    A plain text is short for `field`. The steps are taken in the order in which they stand here.

    Attributes:
        field: The row's field, as names with dots for fields in fields.
        fields: Several fields, whose values become a list.
        after: Take only the text after the last of this mark; a text without it is an error.
        before: Take only the text before the last of this mark; a text without it is an error.
        boxed: Take only what stands in the braces of the last `\boxed`; a text without it is an error.
        pattern: Take only the group of this regular expression, which every text must match from end to end; of a list,
            of each element.
        words: What the field's value, as text in lower case, stands for; every other value stays.
        position_in: The value is an element of the list in this field: take its position, from 0.
        letter: The value is a position, counted from this number: take its letter, `A` for the first.
    """

    field: str | None = None
    fields: tuple[str, ...] = ()
    after: str | None = None
    before: str | None = None
    boxed: bool = False
    pattern: str | None = None
    words: dict[str, JsonValue] | None = None
    position_in: str | None = None
    letter: Literal[0, 1] | None = None

    @model_validator(mode="after")
    def _has_a_field(self) -> Self:
        if (self.field is None) != bool(self.fields):
            raise ValueError("a value is made of a field or fields, and not of both")
        return self

    def of(self, row: Row) -> JsonValue:
        """The value in a row.

        Raises:
            KeyError: The row lacks the field.
            ValueError: The field does not hold what a step needs.
        """
        value = [_at(row, field) for field in self.fields] if self.field is None else _at(row, self.field)
        if self.after is not None:
            value = _after(self.after, value)
        if self.before is not None:
            value = _before(self.before, value)
        if self.boxed:
            value = _boxed(str(value))
        if self.pattern is not None:
            value = _matched(self.pattern, value)
        if self.words is not None:
            value = self.words.get(str(value).lower(), value)
        if self.position_in is not None:
            elements = _at(row, self.position_in)
            if not isinstance(elements, list) or value not in elements:
                raise ValueError(f"{value!r} is not in {self.position_in}")
            value = elements.index(value)
        if self.letter is not None:
            value = chr(ord("A") + int(str(value)) - self.letter)
        return value


type Value = Annotated[_Value, BeforeValidator(_as_value)]


class Columns(Frozen):
    """How a row becomes inputs.

    Attributes:
        inputs: The names of the inputs, each with how its value is made.
        group: How the row's group is made; None: its file says it, or there are no groups.
    """

    inputs: dict[str, Value] = Field(min_length=1)
    group: Value | None = None

    def group_of(self, row: Row, group_of_file: str | None) -> str | None:
        """The group of a row.

        Raises:
            KeyError: The row lacks the field.
        """
        return group_of_file if self.group is None else str(self.group.of(row))

    def inputs_of(self, row: Row) -> dict[str, JsonValue]:
        """The inputs of a row.

        Raises:
            KeyError: The row lacks a field.
            ValueError: A field does not hold what is needed.
        """
        return {name: value.of(row) for name, value in self.inputs.items()}


class RowMapping(Columns):
    """How a row becomes an item.

    Attributes:
        target: How the target is made, for the grader's name of it: `answer` where only this is given; None: there is
            none, as a judge may do without.
        target_name: The target's name for the grader.
        target_more: Further parts of the target, by the grader's names for them.
        target_after: Take only the text after this mark in the target; None: take it as it is.
    """

    target: Value | None = None
    target_name: Literal["answer", "answers", "tests"] = "answer"
    target_more: dict[str, Value] = Field(default_factory=dict)
    target_after: str | None = None

    def target_of(self, row: Row) -> dict[str, JsonValue]:
        """The target of a row.

        Raises:
            KeyError: The row lacks a field.
            ValueError: A field does not hold what is needed.
        """
        more = {name: value.of(row) for name, value in self.target_more.items()}
        if self.target is None:
            return more
        value = self.target.of(row)
        if self.target_after is not None:
            value = _after(self.target_after, value)
        return {self.target_name: value, **more}


def first_of_each(records: Iterable[Row], field: str) -> Iterable[Row]:
    """The first record of each value of a field, in their order."""
    seen = set()
    for record in records:
        value = str(_at(record, field))
        if value not in seen:
            seen.add(value)
            yield record


def _at(row: Row, field: str) -> JsonValue:
    value: JsonValue = dict(row) if "." in field else row[field]
    if "." in field:
        for name in field.split("."):
            if not isinstance(value, dict) or name not in value:
                raise KeyError(field)
            value = value[name]
    return value


def _after(mark: str, value: JsonValue) -> str:
    _, found, rest = str(value).rpartition(mark)
    if not found:
        raise ValueError(f"a value has no {mark!r}")
    return rest.strip()


def _before(mark: str, value: JsonValue) -> str:
    rest, found, _ = str(value).rpartition(mark)
    if not found:
        raise ValueError(f"a value has no {mark!r}")
    return rest.strip()


def _boxed(text: str) -> str:
    start = text.rfind("\\boxed{") + len("\\boxed{")
    depth = 1
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start:place].strip()
    raise ValueError("a value has nothing that is boxed")


def _matched(pattern: str, value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_matched(pattern, element) for element in value]
    match = re.fullmatch(pattern, str(value), re.DOTALL)
    if match is None:
        raise ValueError(f"{value!r} does not have the form {pattern}")
    return match[1]
