"""Which items of a benchmark a run covers, as the caller says it."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

from attrs import frozen

from evalrouter.errors import InvalidArgumentError


class FullCoverage(TypedDict):
    """All items: `{"mode": "full"}`."""

    mode: Literal["full"]


class SampleCoverage(TypedDict):
    """A sample, the same everywhere: `{"mode": "sample", "sample_count": 50, "seed": 42}`.

    With `"stratify": "group"` each of the benchmark's groups is drawn from in proportion to its size.
    """

    mode: Literal["sample"]
    sample_count: int
    seed: NotRequired[int]
    stratify: NotRequired[Literal["group"] | None]


type CoverageDict = FullCoverage | SampleCoverage
"""What `coverage=` takes."""


@frozen
class FullChoice:
    """All items."""


@frozen
class SampleChoice:
    """A sample.

    Attributes:
        sample_count: How many items.
        seed: Which sample of that size; a larger one with the same seed contains the smaller.
        by_group: Whether each group is drawn from in proportion to its size.
    """

    sample_count: int
    seed: int
    by_group: bool = False


type CoverageChoice = FullChoice | SampleChoice
"""A coverage that was read."""


def parse_coverage(coverage: Mapping[str, Any] | None) -> CoverageChoice | None:
    """Reads `coverage=`.

    Args:
        coverage: `{"mode": "full"}`, `{"mode": "sample", "sample_count": n, "seed": s}` (seed 0 unless given), with
            `"stratify": "group"` where groups are to be drawn from in proportion to their sizes, or None.

    Raises:
        InvalidArgumentError: It is anything else.
    """
    if coverage is None:
        return None
    if not isinstance(coverage, Mapping):
        raise _refusal(coverage)
    mode = coverage.get("mode")
    if mode == "full" and set(coverage) == {"mode"}:
        return FullChoice()
    if mode == "sample" and {"mode", "sample_count"} <= set(coverage) <= {"mode", "sample_count", "seed", "stratify"}:
        count, seed, stratify = coverage["sample_count"], coverage.get("seed", 0), coverage.get("stratify")
        if _is_whole(count) and count >= 1 and _is_whole(seed) and 0 <= seed < 2**53 and stratify in (None, "group"):
            return SampleChoice(count, seed, stratify == "group")
    raise _refusal(coverage)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refusal(coverage: object) -> InvalidArgumentError:
    return InvalidArgumentError(
        f'coverage={str(coverage)[:120]} is not valid: pass {{"mode": "full"}} or {{"mode": "sample", '
        '"sample_count": n, "seed": s} with n of at least 1 and s of at least 0, and "stratify": "group" if you like.'
    )
