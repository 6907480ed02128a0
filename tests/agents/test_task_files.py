"""The files that a task comes with: laid out, changed by an agent in any way, handed in, graded."""

import os
from pathlib import Path
from typing import Any

import pytest

from evalrouter import EvalRouter, agents
from evalrouter.agents import task_files
from evalrouter.agents.task_files import TaskFiles
from evalrouter.errors import ConflictError
from scripts.small_repairs import files_in
from tests.e2e.provider import Provider
from tests.sandboxes import has_sandbox

__all__ = ["has_sandbox"]

FILES = {"a.py": "one\r\ntwo\n", "inner/b.py": "b = 'é'\n", "inner/c.py": "c"}


@pytest.fixture
def laid_out(tmp_path: Path) -> TaskFiles:
    files = TaskFiles(tmp_path, FILES)
    files.lay_out()
    return files


def test_nothing_has_changed_at_first(laid_out: TaskFiles, tmp_path: Path) -> None:
    assert (tmp_path / "a.py").read_bytes() == b"one\r\ntwo\n"
    assert laid_out.changed() == task_files.ChangedFiles({})


def test_changed_new_and_removed_files_are_handed_in(laid_out: TaskFiles, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("three\n")
    (tmp_path / "inner" / "b.py").unlink()
    (tmp_path / "new" / "deep").mkdir(parents=True)
    (tmp_path / "new" / "deep" / "d.txt").write_text("d")
    for folder in ("__pycache__", ".git", "node_modules/x"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "made.txt").write_text("by a tool")
    (tmp_path / "stale.pyc").write_bytes(b"\xff")
    assert laid_out.changed() == task_files.ChangedFiles({"a.py": "three\n", "inner/b.py": None, "new/deep/d.txt": "d"})


def test_what_is_no_text_file_of_the_folder_is_marked_and_never_followed(laid_out: TaskFiles, tmp_path: Path) -> None:
    secret = tmp_path.parent / "secret"
    secret.mkdir()
    (secret / "key.txt").write_text("secret")
    (tmp_path / "link.txt").symlink_to(secret / "key.txt")
    (tmp_path / "linked").symlink_to(secret)
    (tmp_path / "circle").symlink_to(tmp_path)
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").symlink_to(secret / "key.txt")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary").write_bytes(b"\x00\xff\xfe")
    (tmp_path / "large.txt").write_text("x" * 300_000)
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10 * 1024**3)
    (tmp_path / "odd\nname").write_text("x")
    found = laid_out.changed()
    assert found.files == {}
    assert sorted(found.left_out) == sorted(
        [
            "'a.py': not a file of its own",
            "'binary': not a text (UTF-8)",
            "'circle': not a file of its own",
            "'large.txt': more than 262,144 characters",
            "'link.txt': not a file of its own",
            "'linked': not a file of its own",
            "'odd\\nname': a name that cannot be handed in",
            "'pipe': not a file of its own",
            "'sparse': too large, or not a file of its own",
        ]
    )


def test_what_is_handed_in_is_bounded(laid_out: TaskFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}.txt").write_text("x")
    many = laid_out.changed()
    assert (len(many.files), len(many.left_out)) == (200, 50)
    for number in range(6):
        (tmp_path / f"{number:03}.txt").write_text("x" * 200_000)
    large = laid_out.changed()
    assert sum(len(content or "") for content in large.files.values()) < 800_000
    assert any("together" in each for each in large.left_out)
    monkeypatch.setattr(task_files, "MOST_ENTRIES", 100)
    too_many = laid_out.changed()
    assert None not in too_many.files.values()
    assert "'(the folder)': more than 100 files and folders" in too_many.left_out


def asked(model: str, agent: agents.Agent, **more: Any) -> dict[str, Any]:
    return {"benchmark": "small-repairs", "model": model, "agent": agent, "max_cost": 1, **more}


class Repairer(agents.Agent):
    """Asks the model, and does what the benchmark's own solution does."""

    name = "repairer"

    async def run(self, context: agents.AgentContext) -> None:
        task = await context.task.get()
        name = task["inputs"]["name"]
        assert (context.workdir / next(iter(task["inputs"]["files"]))).exists()
        assert "tests" not in task["inputs"]
        await context.gateway.chat(messages=task["inputs"]["messages"], max_tokens=20)
        if name != "event-bus":
            for path, content in files_in(name, "solution").items():
                (context.workdir / path).write_text(content)
        (context.workdir / "key.txt").write_text(context.gateway.api_key)
        await context.task.submit(f"repaired {name}")
        await context.task.done()


def test_a_python_agent_repairs_repositories(client: EvalRouter, provider: Provider, has_sandbox: None) -> None:
    coverage = {"mode": "sample", "sample_count": 6, "seed": 3}
    run = client.runs.create(**asked(provider.connect(client), Repairer(), coverage=coverage), wait=True)
    assert (run.status, run.coverage.graded, run.data.flags) == ("completed", 6, ())
    results = {str(result.inputs["messages"][0]["content"]): result for result in run.results()}
    wrong = [result for text, result in results.items() if "bus.EventBus" in text]
    assert len(wrong) == 1, "choose another seed"
    assert (run.score, wrong[0].correct) == (pytest.approx(5 / 6), False)
    for result in results.values():
        assert result.details is not None
        assert (result.rule, result.details["left_out"]) == ("failed" if result in wrong else "passed", [])
        assert result.output is not None
        assert '"answer": "repaired ' in result.output
        assert '"key.txt": "[key]"' in result.output
        assert "er_gw_" not in result.output


def test_without_an_agent_the_quote_is_refused(client: EvalRouter, provider: Provider) -> None:
    with pytest.raises(ConflictError, match="pass an agent") as refused:
        client.runs.create(benchmark="small-repairs", model=provider.connect(client), max_cost=1)
    assert refused.value.code == "agent_needed"
    assert provider.requests == []
