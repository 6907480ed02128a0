"""How a benchmark's answers are graded: the settings that a manifest states, and the verdict that grading gives."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class NumericGrader(BaseModel):
    """Reads one number from the output and compares it exactly with the target's.

    Attributes:
        kind: The grader family.
        extraction: `marker` reads the number after the last explicit answer marker, and the last number where there
            is none; `last_number` always reads the last number.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["numeric"] = "numeric"
    extraction: Literal["marker", "last_number"] = "marker"


class TextGrader(BaseModel):
    """Compares a short answer with the target's list of accepted ones.

    Attributes:
        kind: `exact` compares the characters as they are (outer white space aside); `short_answer` ignores case,
            accents on letters, punctuation and English articles, and finds an answer inside a short phrase.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["exact", "short_answer"]


type GraderSpec = Annotated[NumericGrader | TextGrader, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What grading says of one output.

    Attributes:
        score: From 0.0 (wrong) to 1.0 (right).
        correct: Whether the output counts as right.
        extracted: The answer as read from the output; None where none was found.
        rule: The name of the rule that found the answer, such as `marker`, `last_number` or `no_answer`.
    """

    score: float
    correct: bool
    extracted: str | None
    rule: str

    @classmethod
    def of(cls, correct: bool, extracted: str | None, rule: str) -> "Verdict":
        """A verdict that is all or nothing."""
        return cls(1.0 if correct else 0.0, correct, extracted, rule)
