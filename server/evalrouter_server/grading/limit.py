"""Limits of what an answer took: its time, its tokens, its cost; pure numbers in, verdict out."""

from dataclasses import dataclass
from decimal import Decimal

from evalrouter_server.grading.spec import LimitGrader, Verdict


@dataclass(frozen=True, slots=True)
class Measured:
    """What an answer took, as its source reports it.

    Attributes:
        seconds: From its first start to its last end; None where it is not known.
        tokens: Input and output tokens together; None where none are reported.
        cost_usd: USD; None where none is reported.
    """

    seconds: float | None
    tokens: int | None
    cost_usd: Decimal | None


class NotMeasured(ValueError):
    """A figure that has a limit is not known, so that there is no verdict."""


def grade(grader: LimitGrader, measured: Measured) -> Verdict:
    """Compare what was measured with every limit.

    Args:
        grader: The limits.
        measured: What the answer took.

    Returns:
        The verdict; its rule is `within_limits`, or the first limit that was passed.

    Raises:
        NotMeasured: A figure with a limit is not known.
    """
    compared = [
        ("max_seconds", grader.max_seconds, measured.seconds, "s"),
        ("max_tokens", grader.max_tokens, measured.tokens, "tokens"),
        ("max_cost_usd", grader.max_cost_usd, measured.cost_usd, "USD"),
    ]
    passed, told = list[str](), list[str]()
    for name, most, value, unit in compared:
        if most is None:
            continue
        if value is None:
            raise NotMeasured(f"{name} has a limit, and the source reports no such figure")
        told.append(f"{value} {unit}")
        if value > most:
            passed.append(name)
    return Verdict.of(not passed, ", ".join(told), passed[0] if passed else "within_limits")
