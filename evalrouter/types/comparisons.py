"""Comparisons of runs."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attrs import frozen

from evalrouter.types.runs import Metric, RunData


@frozen
class Difference:
    """A run's score less the baseline's, on the questions that both graded.

    Attributes:
        value: From -1 to 1; above 0 where the run is better.
        standard_error: Its standard error, where defined.
        low: Lower end of the 95% interval.
        high: Upper end of the 95% interval.
        method: How the interval was made: `newcombe`, `bootstrap`, or `wilson` where all differ by the same.
    """

    value: float
    standard_error: float | None
    low: float | None
    high: float | None
    method: str


@frozen
class GivenAnswer:
    """What one task came to.

    Attributes:
        task_id: Exact ID.
        answer: What the grader extracted, else how the output begins.
        is_extracted: Which of the two.
    """

    task_id: str
    answer: str | None
    is_extracted: bool


@frozen
class FlipSide:
    """One run's part in a flip.

    Attributes:
        score: The mean over the repeats.
        answers: One for each repeat.
    """

    score: float
    answers: tuple[GivenAnswer, ...]


@frozen
class Flip:
    """A question that one run gets right and the other wrong.

    Attributes:
        item_id: The question's ID.
        group: Its group, if it has one.
        question: How the question begins, without the instructions and examples of its prompt.
        target: The right answer.
        kind: `gained` where the run is right, `lost` where the baseline is.
        baseline: What the baseline answered.
        run: What the run answered.
    """

    item_id: str
    group: str | None
    question: str
    target: Mapping[str, Any]
    kind: str
    baseline: FlipSide
    run: FlipSide


@frozen
class RunComparison:
    """One run beside the baseline, on the questions that both graded.

    Attributes:
        run: The run.
        shared: Questions that both graded.
        baseline_only: Questions that only the baseline graded; they do not count.
        run_only: Questions that only the run graded; they do not count.
        baseline_metric: The baseline's metric on the shared questions.
        run_metric: The run's.
        difference: The run's score less the baseline's.
        test: `mcnemar_exact`, `paired_bootstrap`, or `sign_exact` where all questions differ by the same.
        p_value: How likely so large a difference would be between equally good models; 1 where no score differs.
        p_value_adjusted: The same, adjusted for the number of comparisons (Holm).
        smallest_detectable_difference: The smallest true difference that this many questions would show at the 5% level
            in 80% of comparisons; None where it cannot be told.
        differing: Questions with another score; 0: there is nothing to test.
        both_right: Questions that both get right: whose mean score over the repeats is one half at least.
        both_wrong: Questions that neither gets right.
        gained: Questions that only the run gets right.
        lost: Questions that only the baseline gets right.
        flips: The gained and the lost.
        baseline_cost: What the shared questions cost in the baseline, in USD.
        run_cost: What they cost in the run, in USD.
    """

    run: RunData
    shared: int
    baseline_only: int
    run_only: int
    baseline_metric: Metric
    run_metric: Metric
    difference: Difference
    test: str
    p_value: float
    p_value_adjusted: float
    smallest_detectable_difference: float | None
    differing: int
    both_right: int
    both_wrong: int
    gained: int
    lost: int
    flips: tuple[Flip, ...]
    baseline_cost: Decimal
    run_cost: Decimal


@frozen
class Comparison:
    """Runs beside a baseline.

    Attributes:
        baseline: The run that the others are compared with.
        others: The others, in the order in which they were named.
    """

    baseline: RunData
    others: tuple[RunComparison, ...]
