"""What is asked of the ledger for a model call, and what it answers.

One try of a call is one HTTP request and one reservation. It is reserved before it is sent and closed exactly once:
settled (an answer came), released (the provider refused it, it costs nothing) or lost (nobody knows; it is settled at
its reservation).
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from evalrouter_server.ids import new_id
from evalrouter_server.quoting.price import Usage

type UsageSource = Literal["reported", "estimated", "unknown"]
type TryStatus = Literal["open", "settled", "released", "unknown"]

LARGEST_AMOUNT = 10**15
"""Micro-USD. What a provider claims beyond a reservation is recorded up to this, so that any claim can be stored."""


_OF_JUDGE = ":judge:"


def judge_call_key(task_id: str, number: int) -> str:
    """The key of one of the calls of a task's judge, the first of which is number 0."""
    return f"{task_id}{_OF_JUDGE}{number}"


def is_judge_call(call_key: str) -> bool:
    """Whether a call is one of a judge, not of the model that a run evaluates."""
    return _OF_JUDGE in call_key


@dataclass(frozen=True, slots=True)
class NewCall:
    """A logical model call.

    Attributes:
        call_key: Names the call within its run; a settled call with the same key is replayed, never made again.
        wire: The wire format, such as `chat`.
        streamed: Whether the caller asked for a stream.
        model_requested: The model's name in the request.
        task_id: The task it belongs to; None where it cannot be attributed.
        gateway_key_id: The gateway key it came in with, if it did.
    """

    call_key: str
    wire: str
    streamed: bool
    model_requested: str
    task_id: str | None = None
    gateway_key_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reserve:
    """Ask for a try's worst case before it is sent.

    Attributes:
        run_id: The run that pays.
        call: A call that may be new, or the ID of one that is being tried again.
        amount: The worst case in micro-USD; 0 for a free model.
        owner: The process instance that will send it; when it dies, its open tries are lost.
        token: Names this very question: asked again, it finds the try that it reserved and does not reserve another.
    """

    run_id: str
    call: NewCall | str
    amount: int
    owner: str
    token: str = field(default_factory=partial(new_id, "try"))

    def __post_init__(self) -> None:
        _not_negative("reservation", self.amount)


@dataclass(frozen=True, slots=True)
class Settle:
    """An answer came: charge it.

    Attributes:
        call_id: The call.
        try_number: Which try of it.
        usage: Tokens in disjoint kinds.
        usage_source: `reported` by the provider, or `estimated` by the documented rule.
        charge: Usage times price, in micro-USD; what is beyond the reservation is recorded as overage and not charged.
        provider_cost: What the provider itself says it cost, in micro-USD, or None.
        model_served: The model that the provider says answered.
        response: Kept for a replay, or None.
        http_status: The answer's status.
        flags: Flags that the answer puts on its run, besides those that follow from the amounts.
    """

    call_id: str
    try_number: int
    usage: Usage
    usage_source: Literal["reported", "estimated"]
    charge: int
    provider_cost: int | None = None
    model_served: str | None = None
    response: Any = None
    http_status: int | None = 200
    flags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _not_negative("charge", self.charge)


@dataclass(frozen=True, slots=True)
class Release:
    """The provider refused the try, or it was never sent: it costs nothing."""

    call_id: str
    try_number: int
    http_status: int | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Lose:
    """Nobody knows whether the try was answered: it is settled at its reservation."""

    call_id: str
    try_number: int
    error: str | None = None
    http_status: int | None = None


type Close = Settle | Release | Lose
type Item = Reserve | Close


@dataclass(frozen=True, slots=True)
class Reserved:
    """Send it, then close it.

    Attributes:
        charged: Micro-USD that earlier tries of the call were charged, those of a process that died included.
    """

    call_id: str
    try_number: int
    charged: int


@dataclass(frozen=True, slots=True)
class MustWait:
    """Not now, but perhaps once others have been closed; ask again.

    Attributes:
        reason: `budget`: it fits once other open reservations have settled for less; `same_call`: a try of this very
            call is open.
    """

    reason: Literal["budget", "same_call"]


@dataclass(frozen=True, slots=True)
class Exhausted:
    """It does not fit even if every open reservation settles for nothing.

    Attributes:
        remaining: Micro-USD of the cap that are not spent.
    """

    remaining: int


@dataclass(frozen=True, slots=True)
class BeyondBound:
    """A provider reported more for a call of this run than what it was bounded by: the run takes no further call."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The run takes no new calls.

    Attributes:
        status: The run's status.
    """

    status: str


@dataclass(frozen=True, slots=True)
class Replay:
    """The call was settled before; this was its answer.

    Attributes:
        response: What was kept of it, or None.
        charge: Micro-USD over all its tries.
    """

    call_id: str
    response: Any
    usage: Usage
    usage_source: UsageSource
    charge: int
    model_served: str | None


type ReserveOutcome = Reserved | MustWait | Exhausted | BeyondBound | Stopped | Replay


@dataclass(frozen=True, slots=True)
class Closed:
    """How a try ended; what was recorded first holds.

    Attributes:
        charge: Micro-USD charged for this try.
        overage: Micro-USD beyond its reservation, not charged.
        repeated: Whether it had been closed before, so that nothing changed.
    """

    call_id: str
    try_number: int
    status: TryStatus
    charge: int
    overage: int
    repeated: bool


def _not_negative(what: str, amount: int) -> None:
    if isinstance(amount, bool) or not isinstance(amount, int) or amount < 0:
        raise ValueError(f"a {what} is a whole number of micro-USD, 0 or more, not {amount!r}")
