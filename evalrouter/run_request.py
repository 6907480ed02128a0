"""The arguments of `runs.create` and `quotes.create`, checked before any request."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, get_args

from attrs import frozen

from evalrouter.agents.agent import Agent
from evalrouter.agents.remote import RemoteAgent
from evalrouter.coverage import CoverageChoice, parse_coverage
from evalrouter.errors import InvalidArgumentError
from evalrouter.money import Usd, parse_usd
from evalrouter.names import checked_id, checked_name
from evalrouter.run_view import RunView
from evalrouter.types import RunStatus

LARGEST_CONCURRENCY = 1000
LARGEST_REPEATS = 100
MOST_COMPARED = 9
STATUSES: tuple[str, ...] = get_args(RunStatus.__value__)


@frozen
class RunArguments:
    """What is to be run, with names as given and everything else read.

    Attributes:
        benchmark: Name.
        model: Name; None: a remote agent brings its own.
        max_cost: USD, if limited.
        coverage: Which items; None for all.
        concurrency: Calls at once; None for the server's choice.
        repeats: How often each item is tried; None for as often as the benchmark says.
        name: The run's name.
        metadata: The run's labels.
        idempotency_key: Names the run that is meant.
        agent: Who works on the tasks; None: the model itself is asked.
    """

    benchmark: str
    model: str | None
    max_cost: Decimal | None
    coverage: CoverageChoice | None
    concurrency: int | None
    repeats: int | None
    name: str | None
    metadata: Mapping[str, str] | None
    idempotency_key: str | None
    agent: Agent | None = None


def read_arguments(
    *,
    benchmark: str | None,
    model: str | None,
    max_cost: Usd | None,
    coverage: Mapping[str, Any] | None,
    concurrency: int | None,
    repeats: int | None,
    name: str | None,
    metadata: Mapping[str, str] | None,
    idempotency_key: str | None,
    agent: Agent | None = None,
) -> RunArguments:
    """Checks the arguments of a run that is described, not quoted.

    Raises:
        InvalidArgumentError: One of them is missing or not valid; the message names it and its value.
    """
    brings_model = isinstance(agent, RemoteAgent)
    if benchmark is None or (model is None and not brings_model):
        missing = "benchmark" if benchmark is None else "model"
        raise InvalidArgumentError(f"{missing}= is missing: a run needs a benchmark and a model, or a quote_id alone.")
    if model is not None and brings_model:
        raise InvalidArgumentError(
            f"model={str(model)[:60]!r} is given with a remote agent, which brings its own: leave it out."
        )
    return RunArguments(
        benchmark=checked_name(benchmark, "benchmark"),
        model=None if model is None else checked_name(model, "model"),
        max_cost=None if max_cost is None else parse_usd(max_cost),
        coverage=parse_coverage(coverage),
        concurrency=None if concurrency is None else _whole("concurrency", concurrency, LARGEST_CONCURRENCY),
        repeats=None if repeats is None else _whole("repeats", repeats, LARGEST_REPEATS),
        name=None if name is None else _text("name", name, 200),
        metadata=None if metadata is None else _labels(metadata),
        idempotency_key=None if idempotency_key is None else _text("idempotency_key", idempotency_key, 200),
        agent=agent,
    )


def refuse_beside_quote(**arguments: object) -> None:
    """Refuses what a quote already says.

    Args:
        **arguments: The other arguments; those that were not given are None.

    Raises:
        InvalidArgumentError: One was given.
    """
    given = [name for name, value in arguments.items() if value is not None]
    if given:
        raise InvalidArgumentError(
            f"quote_id= takes no {', '.join(given)}: the quote says what is run. Leave it out, or make another quote."
        )


def compared_ids(baseline: RunView | str, others: Sequence[RunView | str]) -> tuple[str, list[str]]:
    """The IDs of the runs to compare.

    Args:
        baseline: The run that the others are compared with, or its exact ID.
        others: The others, or their exact IDs.

    Raises:
        InvalidArgumentError: There is no other run, there are too many, or one is no ID.
    """
    if not 1 <= len(others) <= MOST_COMPARED:
        raise InvalidArgumentError(
            f"{len(others)} runs to compare with the first: pass one baseline and from 1 to {MOST_COMPARED} others."
        )
    baseline_id, *other_ids = [
        each.id if isinstance(each, RunView) else checked_id(each, "run") for each in (baseline, *others)
    ]
    return baseline_id, other_ids


def checked_status(status: str | None) -> str | None:
    """The status to list runs by.

    Raises:
        InvalidArgumentError: There is no such status.
    """
    if status is not None and status not in STATUSES:
        raise InvalidArgumentError(f"status={status!r} is not valid: pass one of {', '.join(STATUSES)}.")
    return status


def _whole(argument: str, value: object, largest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= largest:
        raise InvalidArgumentError(f"{argument}={value!r} is not valid: pass a whole number from 1 to {largest}.")
    return value


def _text(argument: str, value: object, longest: int) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= longest:
        raise InvalidArgumentError(f"{argument}= must be a text of 1 to {longest} characters.")
    return value


def _labels(metadata: object) -> Mapping[str, str]:
    if not isinstance(metadata, Mapping) or len(metadata) > 50:
        raise InvalidArgumentError("metadata= must be a dict of at most 50 labels.")
    for name, value in metadata.items():
        if not isinstance(name, str) or not isinstance(value, str) or len(value) > 500:
            raise InvalidArgumentError(
                f"metadata[{name!r}] must be a text of at most 500 characters; its name a text too."
            )
    return dict(metadata)
