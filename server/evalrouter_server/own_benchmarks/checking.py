"""From a file's rows to items, with everything that is wrong with them; in bounded memory, whatever the file's size."""

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, BinaryIO

from pydantic import JsonValue

from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.render import render
from evalrouter_server.catalog.rows import Row
from evalrouter_server.catalog.sources import content_digest
from evalrouter_server.grading import (
    CodeGrader,
    CustomGrader,
    GraderSpec,
    JudgeGrader,
    LimitGrader,
    RepositoryGrader,
    code,
    grade,
)
from evalrouter_server.own_benchmarks import trace_rows
from evalrouter_server.own_benchmarks.definition import UNSTORABLE, Definition, TracesGiven, columns_of
from evalrouter_server.own_benchmarks.readers import LARGEST_CELL_BYTES, RawRow, RowProblem, read_rows

MOST_ROWS = 200_000
MOST_GROUPS = 1_000
LONGEST_GROUP = 200
PROBLEMS_SHOWN = 100
EXAMPLES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Example:
    """A row as it would be asked and graded."""

    row: int
    messages: list[dict[str, Any]]
    target: dict[str, JsonValue]
    group: str | None


@dataclass(slots=True)
class Check:
    """What reading a file found.

    Attributes:
        item_count: Rows without an error.
        content_digest: The sha256 over the normalised rows without an error.
        groups: The groups, in the order in which they first occur.
        problem_count: All errors.
        problems: The first of them.
        examples: The first rows without an error, rendered.
    """

    item_count: int = 0
    content_digest: str = ""
    groups: dict[str, None] = field(default_factory=dict)
    problem_count: int = 0
    problems: list[RowProblem] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)

    def add(self, problem: RowProblem) -> None:
        """Count an error, and keep it where it is one of the first."""
        self.problem_count += 1
        if len(self.problems) < PROBLEMS_SHOWN:
            self.problems.append(problem)


def check_rows(definition: Definition, file: BinaryIO) -> Check:
    """Read a whole file.

    Args:
        definition: The manifest.
        file: The file, at its start.
    """
    check = Check()
    check.content_digest = content_digest(_noted(definition, file, check))
    if not check.item_count and not check.problem_count:
        check.add(RowProblem(None, "empty_file", "the file has no rows: a benchmark needs at least one"))
    return check


def _noted(definition: Definition, file: BinaryIO, check: Check) -> Iterator[Item]:
    for row, item in read_items(definition, file, check):
        check.item_count += 1
        if len(check.examples) < EXAMPLES_SHOWN:
            check.examples.append(Example(row, render(definition.protocol, item), item.target, item.group))
        yield item


def read_items(definition: Definition, file: BinaryIO, check: Check) -> Iterator[tuple[int, Item]]:
    """The rows without an error as items, each with its row's number.

    Args:
        definition: The manifest.
        file: The file, at its start.
        check: Takes the errors and the groups.
    """
    if isinstance(definition.source, TracesGiven):
        yield from _of_traces(definition, file, check)
        return
    rows, version = definition.rows, definition.version or "1"
    columns = list(dict.fromkeys(column for value in rows.values.values() for column in columns_of(value)))
    seen: dict[int, int] = {}
    index = 0
    for row in read_rows(file, definition.format, columns):
        if isinstance(row, RowProblem):
            check.add(row)
            continue
        if row.number > MOST_ROWS:
            check.add(RowProblem(None, "too_many_rows", f"there are more than {MOST_ROWS:,} rows: split the benchmark"))
            return
        reader = _RowReader(definition, row)
        inputs, target, group = reader.inputs(), reader.target(), reader.group()
        problems = reader.problems or _duplicate(seen, row, inputs)
        if not problems and group is not None and group not in check.groups:
            problems = _new_group(check, row, group)
        for problem in problems:
            check.add(problem)
        if not problems:
            yield row.number, Item(item_id(definition.slug, version, index), index, inputs, target, group)
            index += 1


def _of_traces(definition: Definition, file: BinaryIO, check: Check) -> Iterator[tuple[int, Item]]:
    """Traces may ask the same, and one without an answer stays: a run says of it that it could not be graded."""
    for number, item in trace_rows.read_items(definition, file):
        try:
            _try_target(definition.grader, item.target)
        except ValueError as error:
            check.add(RowProblem(number, "wrong_target", str(error)[:300], "target"))
        else:
            yield number, item


def _try_target(grader: GraderSpec, target: dict[str, JsonValue]) -> None:
    """See that a grader takes a target.

    Raises:
        ValueError: It does not.
    """
    if isinstance(grader, JudgeGrader | CustomGrader | LimitGrader | RepositoryGrader):
        return
    if isinstance(grader, CodeGrader):
        code.assemble(grader, "", target)
    else:
        grade(grader, output="", target=target, finish_reason=None)


def _duplicate(seen: dict[int, int], row: RawRow, inputs: Mapping[str, JsonValue]) -> list[RowProblem]:
    text = json.dumps(inputs, sort_keys=True)
    digest = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest())
    first = seen.setdefault(digest, row.number)
    if first == row.number:
        return []
    return [RowProblem(row.number, "duplicate_row", f"its inputs are those of row {first}: leave one of them out")]


def _new_group(check: Check, row: RawRow, group: str) -> list[RowProblem]:
    if len(check.groups) >= MOST_GROUPS:
        message = f"there are more than {MOST_GROUPS:,} groups: name a column with fewer values under rows.group"
        return [RowProblem(row.number, "too_many_groups", message)]
    check.groups[group] = None
    return []


class _RowReader:
    """Reads one row by the manifest's mapping and notes what is wrong with it.

    The cells are brought to texts and lists of texts first, so that the mapping meets nothing else; a number becomes
    the text that stands in the file.

    Attributes:
        problems: What is wrong.
    """

    def __init__(self, definition: Definition, row: RawRow) -> None:
        self._definition = definition
        self._row = row
        self.problems: list[RowProblem] = []
        rows = definition.rows
        targets = {
            column for place, value in rows.values.items() if place.startswith("target") for column in columns_of(value)
        }
        used = dict.fromkeys(column for value in rows.values.values() for column in columns_of(value))
        self._cells: dict[str, JsonValue] = {column: self._cell(column, column in targets) for column in used}

    def inputs(self) -> dict[str, JsonValue]:
        """The inputs by name."""
        found = self._made(self._definition.rows.inputs_of, "wrong_input") or {}
        if not self.problems and not any(str(value).strip() for value in found.values()):
            self._note("empty_inputs", "all its inputs are empty")
        return found

    def target(self) -> dict[str, JsonValue]:
        """The target in the grader's form; one answer is a list of one where the grader is given a list."""
        target = self._made(self._definition.rows.target_of, "wrong_target") or {}
        answers = target.get("answers")
        if isinstance(answers, str):
            target["answers"] = [answers]
        if not self.problems:
            self._check_grading(target)
        return target

    def group(self) -> str | None:
        """The group; None where the benchmark has none."""
        rows = self._definition.rows
        if rows.group is None:
            return None
        group = self._made(lambda cells: rows.group_of(cells, None), "wrong_group")
        if group is not None and not 1 <= len(group.strip()) <= LONGEST_GROUP:
            self._note("wrong_group", f"the group must be a text of 1 to {LONGEST_GROUP} characters", rows.group.field)
        return group

    def _made[T](self, make: Callable[[Row], T], code: str) -> T | None:
        """What the mapping makes of the cells, unless something is wrong with them already."""
        if self.problems:
            return None
        try:
            return make(self._cells)
        except (ValueError, OverflowError) as error:
            self._note(code, str(error)[:300])
            return None

    def _check_grading(self, target: dict[str, JsonValue]) -> None:
        try:
            _try_target(self._definition.grader, target)
        except ValueError as error:
            target_value = self._definition.rows.target
            column = None if target_value is None else target_value.field
            self._note("wrong_target", str(error)[:300], column)

    def _cell(self, column: str, is_target: bool) -> JsonValue:
        if column not in self._row.values:
            shown = ", ".join(repr(name[:60]) for name in list(self._row.values)[:20])
            self._note("missing_column", f"it has no {column!r}, only {shown or 'nothing'}", column)
            return ""
        value = self._row.values[column]
        if is_target and any(map(_is_blank, value if isinstance(value, list) and value else [value])):
            self._note("empty_target", f"the target {column!r} is empty", column)
            return ""
        if isinstance(value, list):
            return [self._text(column, element) for element in value]
        return self._text(column, value)

    def _text(self, column: str, value: object) -> str:
        match value:
            case str() if UNSTORABLE.search(value):
                self._note("wrong_type", f"{column!r} holds NUL or half of a surrogate pair, which is no text", column)
            case str() if len(value.encode()) > LARGEST_CELL_BYTES:
                self._note(
                    "cell_too_large", f"{column!r} has more than {LARGEST_CELL_BYTES:,} bytes: shorten it", column
                )
            case str():
                return value
            case bool():
                return "true" if value else "false"
            case float() | Decimal() if not math.isfinite(value):
                self._note("not_finite", f"{column!r} is {value}, which is no number", column)
            case int() | float() | Decimal():
                return str(value)
            case dict() | list():
                kind = "an object" if isinstance(value, dict) else "a list in a list"
                self._note(
                    "nested_value", f"{column!r} holds {kind}: a column holds texts, numbers and lists of them", column
                )
            case None:
                self._note("wrong_type", f"{column!r} is empty (null): write a text or a number", column)
            case _:
                kind = type(value).__name__
                self._note("wrong_type", f"{column!r} is a {kind}: write it as a text or a number", column)
        return ""

    def _note(self, code: str, message: str, column: str | None = None) -> None:
        self.problems.append(RowProblem(self._row.number, code, message, column))


def _is_blank(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())
