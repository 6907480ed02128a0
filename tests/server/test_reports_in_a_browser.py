"""The pages in a real browser: search and filter narrow the rows, a task opens, and nothing is asked of the network."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Tab, chromium_tab, needs_chromium
from tests.server.conftest import Upstream, Workspace
from tests.server.test_runs import create, spec

pytestmark = [needs_chromium, pytest.mark.timeout(600)]

COUNT = 12
VISIBLE = "[...document.querySelectorAll('[data-row]')].filter((row) => row.getClientRects().length)"


@pytest.fixture
async def tab(tmp_path: Path) -> AsyncIterator[Tab]:
    async with chromium_tab(tmp_path / "profile") as opened:
        yield opened


@pytest.fixture
def runs(workspace: Workspace, upstream: Upstream) -> list[dict[str, Any]]:
    """Two runs: one whose answers are right every second time, else hostile, and one whose answers are all right."""
    model = workspace.connect(upstream)
    upstream.answer = "no idea"
    first = _finished(workspace, model, "to see the questions")
    results = _results(workspace, first)
    right = {_prompt(result): str(next(iter(result["target"]["answers"]))) for result in results}
    hostile = f"<img src={upstream.base_url}/leak onerror=\"fetch('{upstream.base_url}/leak')\"><b>wrong"
    upstream.answer_by_prompt = {
        prompt: answer if place % 2 else hostile for place, (prompt, answer) in enumerate(right.items())
    }
    half = _finished(workspace, model, "half")
    upstream.answer_by_prompt = right
    return [half, _finished(workspace, model, "all")]


def _finished(workspace: Workspace, model: str, name: str) -> dict[str, Any]:
    return workspace.wait(create(workspace, spec(workspace, model, COUNT, name=name)).json()["id"], 120)


def _results(workspace: Workspace, run: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workspace.client.get(f"/v1/runs/{run['id']}/results").json()["items"]
    return found


def _prompt(result: dict[str, Any]) -> str:
    return str(result["inputs"]["messages"][-1]["content"])


def _question(result: dict[str, Any]) -> str:
    return _prompt(result).removeprefix("Answer in a few words. ")


def _saved(workspace: Workspace, path: str, to: Path) -> Path:
    answer = workspace.client.get(path)
    assert answer.status_code == 200, answer.text
    to.write_bytes(answer.content)
    return to


async def test_a_runs_page(workspace: Workspace, runs: list[dict[str, Any]], tab: Tab, tmp_path: Path) -> None:
    page = _saved(workspace, f"/v1/runs/{runs[0]['id']}/export?format=html", tmp_path / "run.html")
    results = _results(workspace, runs[0])
    await tab.open(page)
    shown = f"{VISIBLE}.map((row) => row.querySelector('summary').children[1].textContent)"
    assert await tab.value(shown) == [_question(result) for result in results]
    assert await tab.value("document.getElementById('shown').textContent") == f"{COUNT} of {COUNT} shown"

    sought = _question(results[1])
    await tab.click("document.getElementById('search')")
    await tab.type(sought.upper())
    await tab.until("document.getElementById('shown').textContent.startsWith('1 of ')")
    assert await tab.value(shown) == [sought]

    opened = f"{VISIBLE}[0].open"
    parts = f"{VISIBLE}[0].innerText"
    assert await tab.value(opened) is False
    await tab.click(f"{VISIBLE}[0].querySelector('summary')")
    await tab.until(opened)
    assert _prompt(results[1]) in await tab.value(parts)
    assert results[1]["output"] in await tab.value(parts)

    await tab.click("document.getElementById('search')")
    await tab.value("document.getElementById('search').select()")
    await tab.type(" ")
    await tab.until(f"document.getElementById('shown').textContent.startsWith('{COUNT} of ')")
    await tab.choose("document.querySelector('select[data-field=verdict]')", "wrong")
    wrong = [_question(result) for result in results if not result["correct"]]
    assert len(wrong) == COUNT // 2
    assert await tab.value(shown) == wrong
    await tab.click(f"{VISIBLE}[0].querySelector('summary')")
    await tab.until(opened)
    assert "onerror=" in await tab.value(parts), "a hostile answer is shown as text"

    assert await tab.value("document.images.length + document.querySelectorAll('b').length") == 0
    assert tab.requests == [page.as_uri()]
    assert tab.complaints == []


async def test_a_comparisons_page(workspace: Workspace, runs: list[dict[str, Any]], tab: Tab, tmp_path: Path) -> None:
    half, whole = runs
    path = f"/v1/runs/{half['id']}/comparison/report?with={whole['id']}"
    page = _saved(workspace, path, tmp_path / "comparison.html")
    await tab.open(page)
    flipped = [_question(result) for result in _results(workspace, half) if not result["correct"]]
    shown = f"{VISIBLE}.map((row) => row.cells[0].firstChild.textContent)"
    assert await tab.value(shown) == flipped
    await tab.click("document.getElementById('search')")
    await tab.type(flipped[2])
    await tab.until("document.getElementById('shown').textContent.startsWith('1 of ')")
    assert await tab.value(shown) == [flipped[2]]
    assert tab.requests == [page.as_uri()]
    assert tab.complaints == []
