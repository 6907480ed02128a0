"""How a benchmark's answers are graded: the settings that a manifest states, and the verdict that grading gives."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from evalrouter_server.grading.custom import checked_files
from evalrouter_server.grading.linear_regex import checked_pattern, with_answer_group
from evalrouter_server.grading.plain_template import check_template

type Aspect = Literal["case", "punctuation", "articles", "white_space", "final_stop"]
"""What of a text a comparison may ignore; see `evalrouter_server.grading.normal_form`."""

type Normalisation = Literal["squad"] | tuple[Aspect, ...]
"""The aspects that are ignored, or the name of a published normal form."""


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class After(_Settings):
    """Takes the answer from what follows a mark; an output without the mark has no answer.

    Attributes:
        after: The marks, compared with the output as they stand, case included.
        which: Which occurrence counts where there are several.
        until: Where the answer ends: with the mark's line, or with the text.
    """

    after: tuple[Annotated[str, Field(min_length=1)], ...] = Field(min_length=1)
    which: Literal["first", "last"] = "last"
    until: Literal["line", "end"] = "line"


type Pattern = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(checked_pattern)]
"""A regular expression in RE2's syntax, which matches in linear time."""

type Extraction = Literal["answer", "whole"] | After
"""Where a text answer stands: `answer` is what follows the last marker (`ANSWER:`, `The answer is`) on its line, else
the first line that is not empty; `whole` is the whole final text."""


class NumericGrader(_Settings):
    """Reads one number from the output and compares it exactly with the target's.

    Attributes:
        kind: The grader family.
        extraction: `marker` reads the number after the last explicit answer marker, and the last number where there
            is none; `last_number` always reads the last number.
    """

    kind: Literal["numeric"] = "numeric"
    extraction: Literal["marker", "last_number"] = "marker"


class MultipleChoiceGrader(_Settings):
    """Reads the letter of a choice from free text and compares it with the target's.

    Attributes:
        kind: The grader family.
        choices: How many choices an item has, lettered from A; None: as many as the target's `choices`, which wins
            where both are there.
    """

    kind: Literal["multiple_choice"] = "multiple_choice"
    choices: int | None = Field(default=None, ge=2, le=26)


class ExactGrader(_Settings):
    """Compares a text answer with each accepted one, character by character but for what is to be ignored.

    Attributes:
        kind: The grader family.
        extraction: Where the answer stands.
        ignore: What the comparison ignores on both sides, outer white space always aside.
    """

    kind: Literal["exact"] = "exact"
    extraction: Extraction = "answer"
    ignore: Normalisation = ()


class ShortAnswerGrader(_Settings):
    """Finds an accepted answer in a short phrase, ignoring case, accents, punctuation and English articles.

    Attributes:
        kind: The grader family.
    """

    kind: Literal["short_answer"] = "short_answer"


class RegexGrader(_Settings):
    """Takes what the `answer` group of a pattern matches and compares it with each accepted answer.

    Attributes:
        kind: The grader family.
        pattern: The pattern, with a group `(?P<answer>...)`.
        which: Which match counts where there are several.
        remove: Patterns whose matches are removed on both sides before they are compared, in this order.
        ignore: What the comparison ignores on both sides.
    """

    kind: Literal["regex"] = "regex"
    pattern: Annotated[Pattern, AfterValidator(with_answer_group)]
    which: Literal["first", "last"] = "last"
    remove: tuple[Pattern, ...] = ()
    ignore: Normalisation = ()


class TokenF1Grader(_Settings):
    """Scores the overlap of an answer's words with those of the accepted answer that it fits best.

    Attributes:
        kind: The grader family.
        style: Whose rules: SQuAD's, or DROP's, where a number counts only if it is the right one and an accepted answer
            may be several spans.
        extraction: Where the answer stands.
        separator: What stands between the spans of an answer, for DROP; None: an answer is one span.
    """

    kind: Literal["token_f1"] = "token_f1"
    style: Literal["squad", "drop"] = "squad"
    extraction: Extraction = "answer"
    separator: Annotated[str, Field(min_length=1)] | None = None


class JsonFieldGrader(_Settings):
    """Reads a field of the last JSON document in an output and compares it with each accepted value.

    Attributes:
        kind: The grader family.
        pointer: The field, as a JSON pointer (RFC 6901); empty: the whole document.
        compare: `typed` compares JSON values, numbers by value; `text` compares texts, a value that is not a text as
            JSON writes it.
        ignore: What a comparison of texts ignores on both sides.
    """

    kind: Literal["json_field"] = "json_field"
    pointer: Annotated[str, Field(pattern=r"^(/([^~/]|~[01])*)*$")] = ""
    compare: Literal["typed", "text"] = "typed"
    ignore: Normalisation = ()


class MathGrader(_Settings):
    """Reads a mathematical expression from the output and asks whether it is equal to the target's.

    Attributes:
        kind: The grader family.
    """

    kind: Literal["math"] = "math"


class CodeGrader(_Settings):
    """Runs the answer's Python code with the target's tests in the sandbox; see `evalrouter_server.grading.code`.

    It is no pure function: `evalrouter_server.runners.assess` has it.

    Attributes:
        kind: The grader family.
        completes: The input that is the beginning of the function which the answer completes; None: the answer is a
            program of its own.
        call: What runs the tests once they are defined, with parts of the target in braces; None: they run as they are.
        seconds: Processor seconds that the program may take; three times as much may pass.
        memory_mib: Memory that it may take, in MiB.
    """

    kind: Literal["code"] = "code"
    completes: str | None = None
    call: str | None = None
    seconds: int = Field(default=5, ge=1, le=600)
    memory_mib: int = Field(default=1024, ge=64, le=65536)


class CustomGrader(_Settings):
    """Runs a program of the benchmark's author in the sandbox, once for each answer.

    It is no pure function: `evalrouter_server.runners.assess` has it; `evalrouter_server.sandbox.custom` says what the
    program is given and gives.

    Attributes:
        kind: The grader family.
        files: The program and what it needs, in base64, by relative path.
    """

    kind: Literal["custom"] = "custom"
    files: Annotated[dict[str, str], AfterValidator(checked_files)]


class RepositoryGrader(_Settings):
    """Runs hidden tests over the files that an agent changed, in the sandbox; see `grading.repository`.

    It is no pure function: `evalrouter_server.runners.assess` has it. The item's inputs have the repository's files
    under `files`, the content by path; the target has the hidden tests under `tests`.

    Attributes:
        kind: The grader family.
        seconds: Processor seconds that each test may take; three times as much may pass.
        memory_mib: Memory that they may take, in MiB.
    """

    kind: Literal["repository"] = "repository"
    seconds: int = Field(default=10, ge=1, le=600)
    memory_mib: int = Field(default=1024, ge=64, le=65536)


class JudgeGrader(_Settings):
    """Asks a model for a verdict; its calls are part of the run, priced in the quote and paid from the same cap.

    Attributes:
        kind: The grader family.
        model: The judge's name: a slug, `provider/slug` or `connection:NAME`.
        rubric: What makes an answer good.
        template: What the judge is shown, with `{rubric}`, `{inputs}`, `{target}` and `{answer}`; None: the default.
        choices: The verdicts that it chooses from, each with its score; None: it gives a score from 0 to 1.
        correct_from: The least score of an answer that counts as right.
        max_output_tokens: Output tokens of each of its calls.
        answer_bytes: How much of an answer it is shown, in bytes; of a longer one the beginning and the end.
    """

    kind: Literal["judge"] = "judge"
    model: Annotated[str, Field(min_length=1, max_length=200)]
    rubric: Annotated[str, Field(min_length=1, max_length=20_000)]
    template: Annotated[str, Field(max_length=20_000)] | None = None
    choices: Annotated[dict[str, Annotated[float, Field(ge=0, le=1)]], Field(min_length=2, max_length=20)] | None = None
    correct_from: float = Field(default=0.5, gt=0, le=1)
    max_output_tokens: int = Field(default=512, ge=16, le=100_000)
    answer_bytes: int = Field(default=16_384, ge=1024, le=1_000_000)

    @model_validator(mode="after")
    def _shows_the_answer(self) -> Self:
        if self.template is not None:
            check_template(self.template, ("rubric", "inputs", "target", "answer"))
            if "{answer}" not in self.template:
                raise ValueError("a judge's template must hold {answer}, which it judges")
        return self


class LimitGrader(_Settings):
    """Compares what an answer took with limits, all of which must hold; the answer itself is not read.

    It grades answers that were recorded with what they took, as in traces; `evalrouter_server.grading.limit` has it.

    Attributes:
        kind: The grader family.
        max_seconds: The most seconds.
        max_tokens: The most input and output tokens together.
        max_cost_usd: The most USD, as the source reports it.
    """

    kind: Literal["limit"] = "limit"
    max_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    max_cost_usd: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Self:
        if self.max_seconds is None and self.max_tokens is None and self.max_cost_usd is None:
            raise ValueError("a limit grader needs max_seconds, max_tokens or max_cost_usd")
        return self


PureGrader = (
    NumericGrader
    | MultipleChoiceGrader
    | ExactGrader
    | ShortAnswerGrader
    | RegexGrader
    | TokenF1Grader
    | JsonFieldGrader
    | MathGrader
)
"""The graders that are functions of output and target alone."""

type GraderSpec = Annotated[
    PureGrader | LimitGrader | CodeGrader | CustomGrader | JudgeGrader | RepositoryGrader, Field(discriminator="kind")
]


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

    @classmethod
    def none(cls, rule: str = "no_answer") -> "Verdict":
        """The verdict on an output in which no answer was found."""
        return cls(0.0, False, None, rule)
