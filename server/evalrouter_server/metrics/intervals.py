"""95% intervals of means of scores, for independent and for clustered observations; pure.

Scores of one cluster (the repeats of a question, the questions of a group) are not independent, so errors are clustered
(Miller 2024, "Adding Error Bars to Evals", arXiv 2411.00640, section 2.2), with the usual correction k / (k - 1) for k
clusters; with clusters of one that is the ordinary standard error of a mean.
"""

import math
from collections.abc import Sequence

from scipy.special import ndtri, stdtrit

CONFIDENCE = 0.95
"""The confidence level of every interval."""

Z = float(ndtri((1 + CONFIDENCE) / 2))
"""The normal quantile of that level, 1.96."""

type Interval = tuple[float, float]
"""The lower and the upper end."""


def clustered_standard_error(clusters: Sequence[Sequence[float]], mean: float) -> float | None:
    """The standard error of the mean of all scores when only the clusters are independent.

    Args:
        clusters: The scores of each cluster.
        mean: The mean of all scores.

    Returns:
        The standard error; None with fewer than two clusters.
    """
    count = len(clusters)
    if count < 2:
        return None
    total = sum(map(len, clusters))
    squares = math.fsum(math.fsum(score - mean for score in cluster) ** 2 for cluster in clusters)
    return math.sqrt(squares * count / (count - 1)) / total


def effective_n(mean: float, n: int, clusters: int, error: float | None) -> float:
    """How many independent observations carry as much information as these: n over the design effect (Kish 1965).

    Args:
        mean: The mean of the scores, from 0 to 1.
        n: How many scores there are.
        clusters: In how many clusters; n where each score stands alone.
        error: The clustered standard error of the mean; None where there is none.

    Returns:
        From 1 to n; n itself for scores of 0 or 1 that stand alone.
    """
    if not error:
        return float(clusters)
    # The clustered error has the correction k / (k - 1); taken out, binary scores that stand alone give exactly n.
    variance = error**2 * (clusters - 1) / clusters
    return min(float(n), max(1.0, mean * (1 - mean) / variance))


def wilson_interval(proportion: float, n: float) -> Interval:
    """The Wilson score interval of a proportion (Wilson 1927).

    It keeps its coverage for small samples and near 0 and 1, where a normal interval does not (Bowyer et al. 2025,
    arXiv 2503.01747).

    Args:
        proportion: The observed proportion, from 0 to 1.
        n: The (effective) number of independent observations; more than 0, not always whole.

    Returns:
        The 95% interval, within 0 and 1.
    """
    centre = (proportion + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z / (1 + Z * Z / n) * math.sqrt(proportion * (1 - proportion) / n + Z * Z / (4 * n * n))
    low = 0.0 if proportion == 0 else max(0.0, centre - reach)
    high = 1.0 if proportion == 1 else min(1.0, centre + reach)
    return low, high


def t_interval(mean: float, error: float, clusters: int) -> Interval:
    """Student's t interval of a mean of scores.

    Args:
        mean: The mean, from 0 to 1.
        error: Its standard error.
        clusters: How many independent clusters; at least 2.

    Returns:
        The 95% interval with one degree of freedom less than there are clusters, cut to 0 and 1, which no mean passes.
    """
    reach = float(stdtrit(clusters - 1, (1 + CONFIDENCE) / 2)) * error
    return max(0.0, mean - reach), min(1.0, mean + reach)
