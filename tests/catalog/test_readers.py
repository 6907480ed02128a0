"""Readers of every format, and how rows become values."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
import yaml
from evalrouter_server.catalog.readers import format_of, read_records
from evalrouter_server.catalog.rows import RowMapping, first_of_each
from pydantic import ValidationError

ROWS: list[dict[str, Any]] = [{"q": 'one, "two"\nthree', "n": "1"}, {"q": "ü", "n": "2"}]


def write(folder: Path, name: str) -> Path:
    path = folder / name
    table = arrow.Table.from_pylist(ROWS)
    if name.endswith(".parquet"):
        parquet.write_table(table, path)
    elif name.endswith(".arrow"):
        with arrow.OSFile(str(path), "wb") as file, arrow.ipc.new_stream(file, table.schema) as stream:
            stream.write_table(table)
    else:
        path.write_bytes(TEXTS[name])
    return path


TEXTS = {
    "rows.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
    "rows.jsonl.gz": gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()),
    "rows.json": json.dumps(ROWS).encode(),
    "rows.yaml": yaml.safe_dump(ROWS).encode(),
    "rows.csv": '\ufeffq,n\n"one, ""two""\nthree",1\nü,2\n'.encode(),
    "rows.tsv": 'q\tn\n"one, ""two""\nthree"\t1\nü\t2\n'.encode(),
}


@pytest.mark.parametrize("name", [*TEXTS, "rows.parquet", "rows.arrow"])
def test_every_format_gives_the_same_records(name: str, tmp_path: Path) -> None:
    assert [dict(record) for record in read_records(write(tmp_path, name), name=name)] == ROWS


def test_records_inside_a_document(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(json.dumps({"a": {"b": ROWS}}))
    assert list(read_records(tmp_path / "x", name="x.json", records_under="a.b")) == ROWS
    with pytest.raises(ValueError, match=r"no list of records under a\.c"):
        list(read_records(tmp_path / "x", name="x.json", records_under="a.c"))


def test_a_text_is_one_record(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("two\nlines\n")
    assert list(read_records(tmp_path / "x", name="x.txt")) == [{"text": "two\nlines\n"}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", b'{"a": 1}\n[2]\n', "line 2 is no object"),
        ("x.jsonl", b"{", r"x\.jsonl is no jsonl file"),
        ("x.json", b'{"a": 1}', "no list of records"),
        ("x.csv", b"a,b\n1,2\n3\n", "line 3 has not as many fields"),
        ("x.csv", b"a,b\n1,2,3\n", "line 2 has not as many fields"),
        ("x.jsonl.gz", b"{}", "no gzip file"),
        ("x.txt", b"\xff", "no text file"),
        ("x.parquet", b"PAR1", "no parquet file"),
        ("x.arrow", b"nothing of the kind", "no arrow file"),
        ("x.exe", b"", "none of the known endings"),
    ],
)
def test_what_is_not_of_its_form_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        list(read_records(tmp_path / "x", name=name))


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_without_pyarrow_the_error_says_what_to_install(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"needs pyarrow: install evalrouter-server\[parquet\]"):
        list(read_records(tmp_path / "x", name=name))


def test_format_of_a_name() -> None:
    assert [format_of(name) for name in ("a/b.JSONL", "b.yml", "c.txt", "d.csv.gz")] == ["jsonl", "yaml", "text", "csv"]


def mapping(**target: Any) -> RowMapping:
    return RowMapping.model_validate({"inputs": {"q": "q"}, **target})


@pytest.mark.parametrize(
    ("target", "row", "value"),
    [
        ("a", {"a": 3}, 3),
        ("a.b", {"a": {"b": [1]}}, [1]),
        ({"field": "a", "after": "####"}, {"a": "4 #### 5 #### 6 "}, "6"),
        ({"field": "a", "before": "####"}, {"a": " 4 #### 5 #### 6 "}, "4 #### 5"),
        ({"field": "a", "boxed": True}, {"a": r"\boxed{1} or \boxed{\frac{1}{2}}."}, r"\frac{1}{2}"),
        ({"field": "a", "pattern": r"Q: (.*)\nA:"}, {"a": "Q: x\ny\nA:"}, "x\ny"),
        ({"field": "a", "pattern": r"[A-E]\)(.*)"}, {"a": ["A)1", "B)2"]}, ["1", "2"]),
        ({"fields": ["a", "b"]}, {"a": "x", "b": "y"}, ["x", "y"]),
        ({"field": "a", "words": {"true": "yes", "false": "no"}}, {"a": False}, "no"),
        ({"field": "a", "letter": 0}, {"a": 2}, "C"),
        ({"field": "a", "letter": 1}, {"a": "2"}, "B"),
        ({"field": "a", "position_in": "labels", "letter": 0}, {"a": "3", "labels": ["1", "2", "3"]}, "C"),
    ],
)
def test_values(target: Any, row: dict[str, Any], value: Any) -> None:
    assert mapping(target=target).target_of(row) == {"answer": value}


@pytest.mark.parametrize(
    ("target", "row", "error"),
    [
        ("a", {}, KeyError),
        ("a.b", {"a": {}}, KeyError),
        ("a.b", {"a": "text"}, KeyError),
        ({"field": "a", "after": "####"}, {"a": "no mark"}, ValueError),
        ({"field": "a", "before": "####"}, {"a": "no mark"}, ValueError),
        ({"field": "a", "boxed": True}, {"a": r"\boxed{1"}, ValueError),
        ({"field": "a", "pattern": "Q: (.*)"}, {"a": "other"}, ValueError),
        ({"field": "a", "letter": 0}, {"a": "none"}, ValueError),
        ({"field": "a", "position_in": "labels"}, {"a": "4", "labels": ["1"]}, ValueError),
    ],
)
def test_a_row_without_what_is_needed_is_refused(target: Any, row: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        mapping(target=target).target_of(row)


def test_more_parts_of_a_target_and_groups() -> None:
    made = mapping(target="a", target_more={"choices": "c"}, group={"field": "g", "words": {"typo": "type"}})
    row: dict[str, Any] = {"q": "x", "a": "B", "c": ["1", "2"], "g": "typo"}
    assert made.target_of(row) == {"answer": "B", "choices": ["1", "2"]}
    assert (made.inputs_of(row), made.group_of(row, "of the file")) == ({"q": "x"}, "type")
    assert mapping(target="a").group_of(row, "of the file") == "of the file"


def test_a_value_needs_a_field() -> None:
    with pytest.raises(ValidationError, match="field or fields"):
        mapping(target={"letter": 0})


def test_one_row_for_each_choice_becomes_one_row() -> None:
    records = [{"id": 1, "choice": 0}, {"id": 1, "choice": 1}, {"id": 2, "choice": 0}, {"id": 1, "choice": 2}]
    assert [record["id"] for record in first_of_each(records, "id")] == [1, 2]
