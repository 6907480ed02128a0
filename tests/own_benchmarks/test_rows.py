"""Every row is read, or what is wrong with it is said with its number."""

import io
import json
from typing import Any

import pyarrow as pa
import pytest
from evalrouter_server.own_benchmarks import checking, readers
from evalrouter_server.own_benchmarks.checking import Check, check_rows
from evalrouter_server.own_benchmarks.definition import Definition, read_definition
from evalrouter_server.problems import Problem
from pyarrow import parquet

MANIFEST: dict[str, Any] = {
    "slug": "my-bench",
    "source": {"kind": "file", "path": "rows.jsonl"},
    "rows": {"inputs": {"question": "q"}, "target": "a"},
    "protocol": {"user": "Answer: {question}"},
    "grader": {"kind": "exact"},
}


def definition(format: str = "jsonl", **changes: Any) -> Definition:
    return read_definition({**MANIFEST, "source": {"kind": "file", "path": f"rows.{format}"}, **changes})


def check(data: bytes | str, format: str = "jsonl", **changes: Any) -> Check:
    raw = data.encode() if isinstance(data, str) else data
    return check_rows(definition(format, **changes), io.BytesIO(raw))


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def parquet_file(rows: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


GOOD: list[dict[str, Any]] = [{"q": "6 x 7?", "a": "42"}, {"q": "naïve\nquestion", "a": 'Ü, "x"'}]


def test_the_formats_give_the_same_benchmark() -> None:
    found = [
        check(lines(*GOOD)),
        check('q,a\n6 x 7?,42\n"naïve\nquestion","Ü, ""x"""\n', "csv"),
        check(parquet_file(GOOD), "parquet"),
    ]
    assert [each.problems for each in found] == [[], [], []]
    assert {each.item_count for each in found} == {2}
    assert len({each.content_digest for each in found}) == 1
    assert found[0].examples[0].messages == [{"role": "user", "content": "Answer: 6 x 7?"}]
    assert found[0].examples[0].target == {"answer": "42"}


def test_line_ends_of_windows_and_blank_lines_do_not_count() -> None:
    unix = check(lines(*GOOD))
    windows = check(("\n" + lines(*GOOD) + "\n").replace("\n", "\r\n"))
    assert windows.content_digest == unix.content_digest
    assert not windows.problem_count


@pytest.mark.parametrize(
    ("row", "code", "says"),
    [
        ({"q": "b"}, "missing_column", "'a'"),
        ({"a": "b"}, "missing_column", "'q'"),
        ({"q": None, "a": "b"}, "wrong_type", "'q' is empty (null)"),
        ({"q": [["b"]], "a": "b"}, "nested_value", "'q' holds a list in a list"),
        ({"q": {"x": 1}, "a": "b"}, "nested_value", "'q' holds an object"),
        ({"q": "b", "a": {"x": 1}}, "nested_value", "'a' holds an object"),
        ({"q": "b", "a": ""}, "empty_target", "'a' is empty"),
        ({"q": "b", "a": " "}, "empty_target", "'a' is empty"),
        ({"q": "b", "a": None}, "empty_target", "'a' is empty"),
        ({"q": "b", "a": ["x", " "]}, "empty_target", "'a' is empty"),
        ({"q": "  ", "a": "b"}, "empty_inputs", "all its inputs"),
        ({"q": "first", "a": "b"}, "duplicate_row", "row 1"),
        ({"q": "x" * (readers.LARGEST_CELL_BYTES + 1), "a": "b"}, "cell_too_large", "262,144"),
        ({"q": "x" * (readers.LARGEST_LINE_BYTES + 1), "a": "b"}, "row_too_large", "line 2"),
        ({"q": "\ud800", "a": "b"}, "wrong_type", "surrogate"),
        ({"q": "a\x00b", "a": "b"}, "wrong_type", "NUL"),
        ({"q": float("nan"), "a": "b"}, "not_finite", "NaN"),
        ({"q": "b", "a": float("inf")}, "not_finite", "Infinity"),
        ([1], "malformed_row", "is a list"),
        (5, "malformed_row", "one JSON object a line"),
    ],
)
def test_a_wrong_row_is_named_and_the_others_are_read(row: object, code: str, says: str) -> None:
    found = check(lines({"q": "first", "a": "1"}, row, {"q": "last", "a": "3"}))
    (problem,) = found.problems
    assert (problem.row, problem.code) == (2, code)
    assert says in problem.message
    assert found.item_count == 2


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"q": "b", "a": "c"', "malformed_row"),
        (b'{"q": "b", "q": "c", "a": "d"}', "duplicate_column"),
        (b'{"q": "\xff", "a": "b"}', "not_utf8"),
        (b"[" * 100_000, "nested_value"),
        (b'{"q": ' + b"1" * 5000 + b', "a": "b"}', "malformed_row"),
    ],
)
def test_a_line_that_is_no_row(line: bytes, code: str) -> None:
    found = check(lines({"q": "first", "a": "1"}).encode() + line + b"\n" + lines({"q": "last", "a": "3"}).encode())
    assert [(each.row, each.code) for each in found.problems] == [(2, code)]
    assert found.item_count == 2


@pytest.mark.parametrize(
    ("data", "format", "code"),
    [
        (b"", "jsonl", "empty_file"),
        (b"\n\n", "jsonl", "empty_file"),
        (b"", "csv", "empty_file"),
        (b"q,a\n", "csv", "empty_file"),
        (b"", "parquet", "empty_file"),
        (parquet_file([{"q": "a", "a": "b"}]), "jsonl", "wrong_format"),
        (b"q,a\n1,2\n", "parquet", "wrong_format"),
        (b"PAR1 and nothing else", "parquet", "malformed_file"),
        (b"\xef\xbb\xbfq,a\n1,2\n", "csv", "byte_order_mark"),
        ("q,a\n1,2\n".encode("utf-16"), "csv", "byte_order_mark"),
        (b'\xef\xbb\xbf{"q": "a", "a": "b"}\n', "jsonl", "byte_order_mark"),
        (b"q,b\n1,2\n", "csv", "missing_column"),
        (b"q,a,a\n1,2,3\n", "csv", "duplicate_column"),
        (parquet_file([{"q": "a"}]), "parquet", "missing_column"),
    ],
)
def test_a_wrong_file_is_one_error(data: bytes, format: str, code: str) -> None:
    found = check(data, format)
    assert [(each.row, each.code) for each in found.problems] == [(None, code)]
    assert found.item_count == 0


@pytest.mark.parametrize(
    ("row", "code"),
    [(b"2,b,c", "ragged_row"), (b"2", "ragged_row"), (b'2,"b"c', "malformed_row"), (b"2,\xff", "not_utf8")],
)
def test_a_wrong_row_of_csv(row: bytes, code: str) -> None:
    found = check(b"q,a\n1,x\n" + row + b"\n3,z\n", "csv")
    assert [(each.row, each.code) for each in found.problems] == [(2, code)]
    assert found.item_count == 2


def test_a_quote_that_never_ends_is_an_error() -> None:
    found = check(b'q,a\n1,x\n2,"never\n3,z\n', "csv")
    assert [(each.row, each.code) for each in found.problems] == [(2, "malformed_row")]


@pytest.mark.parametrize(
    ("value", "code"),
    [([[1]], "nested_value"), ({"x": 1}, "nested_value"), (b"raw", "wrong_type"), (float("nan"), "not_finite")],
)
def test_a_wrong_value_of_parquet(value: object, code: str) -> None:
    found = check(parquet_file([{"q": value, "a": "b"}]), "parquet")
    assert [(each.row, each.code, each.column) for each in found.problems] == [(1, code, "q")]


def test_numbers_keep_the_form_that_they_are_written_in() -> None:
    found = check('{"q": 0.10, "a": 12345678901234567890.5}\n', grader={"kind": "numeric"})
    (example,) = found.examples
    assert example.messages[0]["content"] == "Answer: 0.10"
    assert example.target == {"answer": "12345678901234567890.5"}


def test_a_target_must_suit_the_grader() -> None:
    found = check(lines({"q": "1", "a": "7"}, {"q": "2", "a": "seven"}), grader={"kind": "numeric"})
    assert [(each.row, each.code, each.column) for each in found.problems] == [(2, "wrong_target", "a")]


def test_a_target_after_a_mark() -> None:
    rows = {"inputs": {"question": "q"}, "target": "a", "target_after": "####"}
    found = check(lines({"q": "1", "a": "so #### 7"}, {"q": "2", "a": "so 7"}), rows=rows)
    assert found.examples[0].target == {"answer": "7"}
    assert [(each.row, each.code) for each in found.problems] == [(2, "wrong_target")]


def test_several_answers_and_groups() -> None:
    rows = {"inputs": {"question": "q"}, "target": "a", "target_name": "answers", "group": "g"}
    found = check(
        lines({"q": "1", "a": ["x", "y"], "g": "B"}, {"q": "2", "a": "z", "g": "A"}, {"q": "3", "a": [], "g": "A"}),
        rows=rows,
    )
    assert [example.target for example in found.examples] == [{"answers": ["x", "y"]}, {"answers": ["z"]}]
    assert list(found.groups) == ["B", "A"]
    assert [(each.row, each.code) for each in found.problems] == [(3, "empty_target")]


HOSTILE = [
    "{0.__class__}",
    "{question.__class__.__mro__}",
    "{question:>9999999999}",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "%s ${x} {",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_stands_in_a_row_stays_text(text: str) -> None:
    found = check(lines({"q": text, "a": text}))
    (example,) = found.examples
    assert example.messages == [{"role": "user", "content": f"Answer: {text}"}]
    assert example.target == {"answer": text}


@pytest.mark.parametrize(
    "template",
    ["{question.__class__}", "{question[0]}", "{question!r}", "{question:>9999999999}", "{0}", "{}", "{other}", "{"],
)
def test_a_template_holds_nothing_but_inputs(template: str) -> None:
    with pytest.raises(Problem, match="brace that is meant as a brace"):
        definition(protocol={"user": template})


def test_errors_are_listed_up_to_a_bound_and_counted_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    found = check(lines(*({"q": f"q{number}"} for number in range(500))))
    assert (found.problem_count, len(found.problems)) == (500, checking.PROBLEMS_SHOWN)
    assert [each.row for each in found.problems] == list(range(1, 101))
    monkeypatch.setattr(checking, "MOST_ROWS", 3)
    found = check(lines(*({"q": f"q{number}", "a": "1"} for number in range(5))))
    assert [(each.row, each.code) for each in found.problems] == [(None, "too_many_rows")]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slug": "My Bench"}, "manifest.slug"),
        ({"extra": 1}, "manifest.extra"),
        ({"version": 0}, "manifest.version"),
        ({"attempts": 101}, "manifest.attempts"),
        ({"grader": {"kind": "guess"}}, "manifest.grader"),
        ({"homepage": "javascript:alert(1)"}, "manifest.homepage"),
        ({"rows": {"inputs": {}, "target": "a"}}, "manifest.rows.inputs"),
        ({"rows": {"inputs": {"q": {"field": "q", "pattern": "(a+)+"}}, "target": "a"}}, "manifest.rows"),
        ({"rows": {"inputs": {"q": "a.b"}, "target": "a"}}, "manifest.rows"),
        ({"grader": {"kind": "code", "call": "{answer.__class__}"}}, "manifest"),
        ({"protocol": {"user": "{question}", "system": "{q.__class__}"}}, "manifest"),
        ({"protocol": {"user": "{question}", "list_line": "{text:>99999999}"}}, "manifest"),
        ({"source": {"kind": "file"}}, "manifest.source.file.path"),
        ({"source": {"kind": "package", "path": "first-steps.jsonl"}}, "manifest.source"),
        (
            {
                "source": {
                    "kind": "hub",
                    "repository": "a/b",
                    "commit": "0" * 40,
                    "path": "../../secret",
                    "sha256": "0" * 64,
                }
            },
            "manifest.source.hub.path",
        ),
    ],
)
def test_a_wrong_manifest_names_the_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(Problem) as caught:
        read_definition({**MANIFEST, **changes})
    assert caught.value.details["fields"][0]["field"] == field


def test_a_file_name_must_say_its_format() -> None:
    with pytest.raises(Problem, match=r"rows\.xlsx"):
        check(b"x", "xlsx")


def test_choices_of_several_columns_or_of_a_list() -> None:
    grader = {"kind": "multiple_choice"}
    rows = {"inputs": {"question": "q", "choices": {"fields": ["x", "y"]}}, "target": "a"}
    protocol = {"user": "{question}\n{choices}"}
    of_columns = check("q,x,y,a\n1?,one,two,B\n", "csv", rows=rows, protocol=protocol, grader={**grader, "choices": 2})
    rows = {
        "inputs": {"question": "q", "choices": "c"},
        "target": {"field": "a", "letter": 0},
        "target_more": {"choices": "c"},
    }
    of_list = check(
        lines({"q": "1?", "c": ["one", "two"], "a": 1}, {"q": "2?", "c": ["one", "two"], "a": "none"}),
        rows=rows,
        protocol=protocol,
        grader=grader,
    )
    for found in (of_columns, of_list):
        assert found.examples[0].messages[0]["content"] == "1?\nA. one\nB. two"
        assert found.examples[0].target["answer"] == "B"
    assert not of_columns.problems
    assert [(each.row, each.code) for each in of_list.problems] == [(2, "wrong_target")]
