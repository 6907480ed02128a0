"""What several attempts at each question show: pass@k, one of k succeeds, and pass^k, all k succeed.

pass@k is the unbiased estimate of Chen et al. 2021 ("Evaluating Large Language Models Trained on Code", arXiv
2107.03374, section 2.1): with c of a question's n attempts right, 1 - C(n - c, k) / C(n, k). pass^k is that of Yao et
al. 2024 ("tau-bench", arXiv 2406.12045): C(c, k) / C(n, k). Both are means over questions.
"""

import math
from collections.abc import Sequence

from evalrouter_server.metrics.intervals import clustered_standard_error, effective_n, wilson_interval
from evalrouter_server.metrics.summary import Metric, ScoredTask, clusters

CUSTOMARY = frozenset({1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100})
"""The k that are shown, beside the number of attempts itself."""


def pass_at(attempts: int, right: int, k: int) -> float:
    """The unbiased estimate of the chance that at least one of k attempts is right.

    Args:
        attempts: How many attempts were graded.
        right: How many of them are right.
        k: From 1 to `attempts`.
    """
    return 1 - math.comb(attempts - right, k) / math.comb(attempts, k)


def pass_all(attempts: int, right: int, k: int) -> float:
    """The unbiased estimate of the chance that all of k attempts are right.

    Args:
        attempts: How many attempts were graded.
        right: How many of them are right.
        k: From 1 to `attempts`.
    """
    return math.comb(right, k) / math.comb(attempts, k)


def attempt_metrics(tasks: Sequence[ScoredTask]) -> tuple[Metric, ...]:
    """pass@k and pass^k for every customary k that fits, with standard errors and 95% intervals over questions.

    A question with fewer than k graded attempts says nothing about k attempts and is left out of it; n counts the
    others. pass^1 is left out, since it is pass@1.

    Args:
        tasks: The graded tasks, with scores of 0 or 1.

    Returns:
        The metrics; none where no question has two graded attempts.
    """
    questions = [(len(scores), round(math.fsum(scores))) for scores in clusters(tasks, lambda task: task.item_id)]
    most = max((attempts for attempts, _ in questions), default=0)
    if most < 2:
        return ()
    shown = sorted(k for k in CUSTOMARY | {most} if k <= most)
    found = []
    for name, estimate, first in (("pass@", pass_at, 1), ("pass^", pass_all, 2)):
        for k in shown:
            fitting = [(attempts, right) for attempts, right in questions if attempts >= k]
            if k >= first:
                estimates = [estimate(attempts, right, k) for attempts, right in fitting]
                found.append(_over_questions(f"{name}{k}", estimates, sum(attempts for attempts, _ in fitting)))
    return tuple(found)


def _over_questions(name: str, estimates: list[float], attempts: int) -> Metric:
    value = math.fsum(estimates) / len(estimates)
    error = clustered_standard_error([[each] for each in estimates], value)
    low, high = wilson_interval(value, effective_n(value, attempts, len(estimates), error))
    return Metric(name, value, len(estimates), error, low, high, "wilson")
