"""What comes of working on a task."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from evalrouter_server.grading import Verdict
from evalrouter_server.quoting.price import Usage


@dataclass(frozen=True, slots=True)
class Graded:
    """The model answered and the answer was graded.

    Attributes:
        output: The model's whole text.
        verdict: The grader's verdict.
        details: What the grader notes beside it.
        finish_reason: Why the model stopped, in the wire's words.
        usage: Tokens of the call.
        charge_microusd: What the task's calls were charged, in micro-USD.
        latency_seconds: From the first try to the last byte.
        model_served: The model that the provider says answered.
    """

    output: str
    verdict: Verdict
    details: Mapping[str, JsonValue] | None
    finish_reason: str | None
    usage: Usage
    charge_microusd: int
    latency_seconds: float | None
    model_served: str | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The task could not be finished; it counts as failed, never as wrong.

    Attributes:
        code: A stable code.
        message: What happened, without payloads.
        charge_microusd: What its calls were charged all the same, in micro-USD.
        usage: Tokens, where known.
        details: What there is to say beside it, such as an agent's traceback.
    """

    code: str
    message: str
    charge_microusd: int = 0
    usage: Usage = field(default_factory=Usage)
    details: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class NotRun:
    """The task was given back: no call could be made for it.

    Attributes:
        ends_run_because: Why no other task's call can be made either, as a code and a text; None where the run was
            stopped from outside.
        pauses_run_because: Why the run waits for somebody to put something right, as a code and a text; None where it
            does not.
    """

    ends_run_because: str | None = None
    pauses_run_because: str | None = None


type Outcome = Graded | Failed | NotRun
