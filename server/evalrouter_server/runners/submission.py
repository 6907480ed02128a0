"""An answer that is to be assessed, and what comes of assessing it."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from evalrouter_server.catalog.items import Item
from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.grading import GraderSpec, Verdict


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer to be assessed, and the task that it belongs to.

    Attributes:
        grader: The benchmark's grader.
        item: The task's item, with inputs and target.
        output: The whole text of the answer.
        finish_reason: Why the model stopped, in the wire's words; None where it is not known.
        judge: The run's way to its judge, for graders that ask one; None: it has none.
        task_id: The task.
    """

    grader: GraderSpec
    item: Item
    output: str
    finish_reason: str | None
    judge: RunRoute | None
    task_id: str


@dataclass(frozen=True, slots=True)
class Assessment:
    """What came of assessing an answer.

    Attributes:
        verdict: The verdict.
        details: What the grader notes beside it, such as the last words of a failed program.
        charge_microusd: What the assessing itself was charged, in micro-USD.
    """

    verdict: Verdict
    details: Mapping[str, JsonValue] | None = None
    charge_microusd: int = 0


class NotAssessed(Exception):
    """The grader could not come to a verdict, through no fault of the answer: the task has failed and is never wrong.

    Args:
        code: A stable code.
        message: What happened and what to do, without payloads.
        charge_microusd: What the assessing was charged all the same, in micro-USD.
    """

    def __init__(self, code: str, message: str, charge_microusd: int = 0) -> None:
        super().__init__(code, message, charge_microusd)
        self.code = code
        self.message = message
        self.charge_microusd = charge_microusd
