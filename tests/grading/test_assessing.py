"""Answers that the built-in runner has assessed outside the event loop."""

import asyncio
from typing import Any, cast

from evalrouter_server.catalog.items import Item
from evalrouter_server.grading import GraderSpec, MathGrader, NumericGrader
from evalrouter_server.runners.assess import LONG_OUTPUT, Assessor
from evalrouter_server.runners.submission import Assessment, Submission
from evalrouter_server.sandbox import Sandbox


async def assessed(grader: GraderSpec, output: str, target: dict[str, Any]) -> Assessment:
    assessor = Assessor(cast("Any", None), Sandbox())
    item = Item(id="item_1", index=0, inputs={}, target=target)
    submission = Submission(grader, item, output, "stop", cast("Any", None), "task_1")
    try:
        return await assessor.assess(submission)
    finally:
        assessor.close()


async def test_the_loop_turns_while_expressions_are_compared() -> None:
    turns = 0
    assessing = asyncio.create_task(assessed(MathGrader(), r"\boxed{0.5}", {"answer": r"\frac12"}))
    while not assessing.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert (await assessing).verdict.correct
    assert turns > 3


async def test_a_long_output_is_graded_like_a_short_one() -> None:
    output = "word " * LONG_OUTPUT + "\nANSWER: 18"
    assert (await assessed(NumericGrader(), output, {"answer": "18"})).verdict.correct
