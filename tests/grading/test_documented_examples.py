"""Every example of the page on graders has the verdict that stands beside it."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from evalrouter_server.grading import GraderSpec, MathGrader, grade, mathematics
from evalrouter_server.runners.equality import BoundedEquality
from pydantic import TypeAdapter

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "graders.md").read_text("utf-8")
BLOCKS: list[dict[str, Any]] = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
PURE = [(block, example) for block in BLOCKS for example in block["outputs"] if block["grader"]["kind"] != "math"]
GRADER: TypeAdapter[Any] = TypeAdapter(GraderSpec)


def assert_as_documented(found: Any, example: dict[str, Any]) -> None:
    correct = example.get("correct", False)
    assert (found.extracted, found.rule, found.correct) == (example.get("extracted"), example["rule"], correct)
    assert found.score == example.get("score", float(correct))


@pytest.mark.parametrize(("block", "example"), PURE, ids=lambda value: ascii(value.get("output", "")))
def test_example(block: dict[str, Any], example: dict[str, Any]) -> None:
    finish_reason = example.get("finish_reason", "stop")
    grader = GRADER.validate_python(block["grader"])
    found = grade(grader, output=example["output"], target=block["target"], finish_reason=finish_reason)
    assert_as_documented(found, example)


def test_mathematical_examples() -> None:
    equality = BoundedEquality()
    [block] = [block for block in BLOCKS if block["grader"]["kind"] == "math"]
    for example in block["outputs"]:
        found = mathematics.grade(
            MathGrader(), output=example["output"], target=block["target"], finish_reason="stop", equality=equality
        )
        assert_as_documented(found, example)
    equality.close()


def test_every_section_is_a_grader_with_examples() -> None:
    sections = set(re.findall(r"^## `(\w+)`$", PAGE, re.MULTILINE))
    kinds = {grader.model_fields["kind"].default for grader in get_args(get_args(GraderSpec.__value__)[0])}
    assert len(sections) >= 8
    assert sections <= kinds
    assert {block["grader"]["kind"] for block in BLOCKS} == sections
