"""Exports of hostile and odd answers: what goes out comes back through pandas, and no page or cell is taken over."""

import base64
import hashlib
import html
import io
import json
import re
import sys
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
from evalrouter_server.contract import models as contract
from evalrouter_server.exports import cell, export
from evalrouter_server.problems import Problem
from evalrouter_server.store.results import Measure
from hypothesis import given
from hypothesis import strategies as st

from tests.sdk import documents

ODD = (
    "plain",
    None,
    "",
    "'",
    "''=1",
    "=1+1",
    "  =1+1",
    "\u00a0=1",
    "+1",
    "-1",
    "@x",
    "\t=1",
    "\r=1",
    "\n=1",
    "＝1",
    ";=1",
    "; =1;;-2;\t@x",
    "';'=1",
    "left;+right; 'quoted'",
    "'quoted'",
    'he said "no", then\nleft\r\nfor good',
    "NA",
    "null",
    "naïve 数学 🧮 \u202e\u200b",
    "1,5;2",
    " both ends ",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    "]]>--><!--",
    "&amp;&lt;",
)


RESTORED = re.compile("(^|;[ \u00a0\u200b\u3000\ufeff]*)'")
"""What the documentation says to take away."""


def run(**changes: Any) -> contract.Run:
    return contract.Run.model_validate(documents.run(**changes))


def result(place: int, output: str | None) -> contract.TaskResult:
    document = documents.result(place) | {
        "output": output,
        "extracted": output,
        "group": output,
        "inputs": {"messages": [{"role": "user", "content": f"question {output}"}]},
        "target": {"answer": output or "none"},
        "details": None,
        "error": None if place % 2 else {"code": "odd", "message": f"it said {output}"},
        "latency_seconds": place / 7,
    }
    return contract.TaskResult.model_validate(document)


def measures(results: Sequence[contract.TaskResult]) -> list[Measure]:
    return [
        Measure(r.item_id, r.status, r.score, r.correct, r.charge_microusd + i, r.latency_seconds)
        for i, r in enumerate(results)
    ]


async def exported(form: contract.ExportFormatValue, outputs: Sequence[str | None] = ODD, **changes: Any) -> bytes:
    results = [result(place, output) for place, output in enumerate(outputs)]

    async def pages() -> AsyncIterator[list[contract.TaskResult]]:
        for start in range(0, len(results), 5):
            yield results[start : start + 5]

    return b"".join([chunk async for chunk in export(form, run(**changes), pages(), measures(results))])


def restored(value: object) -> object:
    """A cell of CSV as the documentation says to read it."""
    return RESTORED.sub(r"\1", value) if isinstance(value, str) else value


async def test_csv_comes_back_through_pandas() -> None:
    table = pd.read_csv(io.BytesIO(await exported("csv")), keep_default_na=False, na_values=[""])
    for column in ("output", "extracted", "group"):
        documented = table[column].str.replace("(^|;[ \u00a0\u200b\u3000\ufeff]*)'", r"\1", regex=True)
        assert [None if pd.isna(value) else value for value in documented] == list(ODD)
        assert [None if pd.isna(value) else restored(value) for value in table[column]] == list(ODD)
    assert [json.loads(str(restored(value)))["messages"][0]["content"] for value in table["inputs"]] == [
        f"question {o}" for o in ODD
    ]
    assert list(table["charge_microusd"]) == [63] * len(ODD)
    assert list(table["is_sample"]) == [True] * len(ODD)


async def test_jsonl_and_json_come_back_through_pandas() -> None:
    lines = pd.read_json(io.BytesIO(await exported("jsonl")), lines=True, dtype=False)
    assert [None if value is None or value != value else value for value in lines["output"]] == list(ODD)
    whole = json.loads(await exported("json"))
    assert [row["output"] for row in whole["results"]] == list(ODD)


async def test_parquet_comes_back_through_pandas_with_types() -> None:
    written = await exported("parquet")
    table = pd.read_parquet(io.BytesIO(written))
    assert [None if value is None or value != value else value for value in table["output"]] == list(ODD)
    assert str(table["charge_microusd"].dtype) == "int64"
    assert str(table["ended_at"].dt.tz) == "UTC"
    assert table["ended_at"][0].to_pydatetime() == datetime.fromisoformat(documents.NOW).astimezone(UTC)
    assert list(table["is_sample"]) == [True] * len(ODD)
    assert list(pd.read_parquet(io.BytesIO(await exported("parquet", ())))["output"]) == []


def test_parquet_is_refused_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    async def nothing() -> AsyncIterator[list[contract.TaskResult]]:
        yield []

    with pytest.raises(Problem, match="install pyarrow") as refused:
        export("parquet", run(), nothing(), [])
    assert refused.value.code == "format_unavailable"


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
def test_no_cell_starts_a_formula_and_each_is_restored(text: str) -> None:
    written = cell(text)
    assert isinstance(written, str)
    assert restored(written) == text
    for part in written.split(";"):
        begins = part.lstrip(" \u00a0\u200b\u3000\ufeff")[:1]
        assert begins not in ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"), (
            "led by an apostrophe instead"
        )


class Page(HTMLParser):
    """The elements of a page, with what could load or run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.suspicious: list[str] = []
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = dict(attrs)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        self.suspicious += [
            f"{tag} {name}" for name in given if name in ("src", "href", "style", "action") or name.startswith("on")
        ]


async def test_a_page_holds_every_answer_and_nothing_of_it_runs() -> None:
    text = (await exported("html")).decode()
    page = Page(text)
    assert page.suspicious == []
    assert page.tags.count("script") == page.tags.count("style") == 1
    assert not {"img", "link", "iframe", "object", "b"} & set(page.tags)
    assert page.tags.count("details") == len(ODD)
    assert "http" not in re.sub(r'http-equiv="Content-Security-Policy"', "", text)
    for output in ODD:
        if output:
            kept = output.replace("\r\n", "\n").replace("\r", "\n")
            assert kept in html.unescape(text).replace("\r\n", "\n").replace("\r", "\n")
    assert "{{ 7 * 7 }}" in text


async def test_a_pages_policy_admits_its_own_style_and_script_only() -> None:
    text = (await exported("html")).decode()
    policy = Page(text).policy
    assert policy.startswith("default-src 'none';")
    for tag in ("style", "script"):
        (asset,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


async def test_a_page_labels_samples_and_partial_results() -> None:
    text = (await exported("html", is_partial=True, coverage=documents.coverage(40, 20, 3))).decode()
    assert "sample of 40 of 1,319 questions, seed 0" in text
    assert "partial: 20 of 40 tasks graded" in text
    assert "40 selected, 20 graded, 3 failed, 17 missing" in text
    whole = (await exported("html", is_sample=False)).decode()
    assert "sample of" not in whole
    assert "partial:" not in whole
    assert "0.530 to 0.890" in whole


async def test_a_page_of_a_run_without_a_score_says_so() -> None:
    text = (await exported("html", (), score=None, metrics=[], groups=[], ended_at=None, status="running")).decode()
    assert "no score" in text
    assert "the run has not ended" in text
