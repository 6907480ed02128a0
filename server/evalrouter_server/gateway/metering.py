"""The meter: no request leaves without a reservation, and every reservation is closed exactly once."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from evalrouter_server.gateway.usage import Report
from evalrouter_server.ledger.items import (
    LARGEST_AMOUNT,
    BeyondBound,
    Close,
    Closed,
    Exhausted,
    Lose,
    MustWait,
    NewCall,
    Release,
    Replay,
    Reserve,
    Reserved,
    ReserveOutcome,
    Settle,
    Stopped,
)
from evalrouter_server.ledger.reservations import close, reserve
from evalrouter_server.quoting.price import Price, charge_microusd
from evalrouter_server.store.database import Database

SECONDS_BETWEEN_POLLS = 0.5
"""How long a call that waits for others goes without asking again; another process may have closed them."""


type Owner = Callable[[], Awaitable[str]]
"""Gives the process instance that sends a try."""


class CallFailed(Exception):
    """A call came to nothing.

    Args:
        code: A stable code.
        message: What happened, without keys, prompts or payloads.
        charge_microusd: What its tries were charged all the same, in micro-USD.
        status: The HTTP status that an outside caller is answered with.
    """

    def __init__(self, code: str, message: str, *, charge_microusd: int = 0, status: int = 502) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.charge_microusd = charge_microusd
        self.status = status


class BudgetExhausted(Exception):
    """What is left of the run's cap cannot pay for the call's worst case.

    Args:
        needed: The call's worst case, in micro-USD.
        remaining: What is left, in micro-USD.
        charge_microusd: What earlier tries of the call were charged, in micro-USD.
    """

    def __init__(self, needed: int, remaining: int, *, charge_microusd: int = 0) -> None:
        super().__init__(
            f"the call may cost {needed} micro-USD and the run's budget has {remaining} left; lower the output limit"
            " or start a run with a higher max_cost"
        )
        self.needed = needed
        self.remaining = remaining
        self.charge_microusd = charge_microusd


class BoundExceeded(CallFailed):
    """A provider reported more than a call's bound, so no further call of the run can be bounded.

    Args:
        run_id: The run.
        charge_microusd: What earlier tries of the call were charged, in micro-USD.
    """

    def __init__(self, run_id: str, *, charge_microusd: int = 0) -> None:
        super().__init__(
            "provider_exceeds_bound",
            f"the provider reported more tokens for a call of {run_id} than the bound that its cost was reserved by; no"
            " more calls are made in this run",
            charge_microusd=charge_microusd,
        )


class RunStopped(Exception):
    """The run takes no new calls.

    Args:
        run_id: The run.
        status: Its status.
    """

    def __init__(self, run_id: str, status: str) -> None:
        super().__init__(f"{run_id} is {status} and takes no new calls")
        self.run_id = run_id
        self.status = status


@dataclass(slots=True)
class Call:
    """A logical call while it is being made.

    Attributes:
        run_id: The run that pays.
        price: The price frozen in the run's quote.
        worst_case_microusd: What each try reserves, in micro-USD.
        new: How the ledger is told of it.
        deadline: When it must be over, on the event loop's clock.
        call_id: Its ID, once the first try is reserved.
        charged_microusd: What its closed tries were charged, in micro-USD.
    """

    run_id: str
    price: Price
    worst_case_microusd: int
    new: NewCall
    deadline: float
    call_id: str | None = None
    charged_microusd: int = 0


class Meter:
    """Reserves and closes the tries of model calls.

    Args:
        database: Where the ledger is.
        owner: Gives this process instance, once it is sure that nobody takes it for dead: then its open tries are lost.
    """

    def __init__(self, database: Database, owner: Owner) -> None:
        self._database = database
        self._owner = owner
        self._waiting: dict[str, asyncio.Event] = {}

    async def reserve(self, call: Call) -> Reserved | Replay:
        """Reserve the call's next try; wait while it does not fit only because of other open reservations.

        Args:
            call: The call.

        Returns:
            The reservation, or what the call was answered before.

        Raises:
            BudgetExhausted: It cannot fit.
            CallFailed: It still did not fit at the call's deadline.
            BoundExceeded: The provider does not keep to the bounds.
            RunStopped: The run takes no new calls.
        """
        while True:
            wake = self._waiting.setdefault(call.run_id, asyncio.Event())
            asked = Reserve(call.run_id, call.call_id or call.new, call.worst_case_microusd, await self._owner())
            outcome = await self._reserve(call, asked)
            match outcome:
                case Reserved() | Replay():
                    return outcome
                case Exhausted(remaining):
                    raise BudgetExhausted(call.worst_case_microusd, remaining, charge_microusd=call.charged_microusd)
                case BeyondBound():
                    raise BoundExceeded(call.run_id, charge_microusd=call.charged_microusd)
                case Stopped(status):
                    raise RunStopped(call.run_id, status)
                case MustWait():
                    await self._wait(call, wake)

    async def settle(
        self,
        call: Call,
        reserved: Reserved,
        report: Report,
        *,
        estimated: bool,
        model_served: str | None,
        response: object = None,
        flags: tuple[str, ...] = (),
    ) -> Closed:
        """Close a try whose answer came.

        Args:
            call: The call.
            reserved: The try.
            report: What the provider reported, or the estimate.
            estimated: Whether it is the estimate.
            model_served: The model that the provider says answered.
            response: What to keep for a replay; None keeps nothing.
            flags: Flags that the answer puts on the run.
        """
        charge = min(charge_microusd(call.price, report.usage), LARGEST_AMOUNT)
        return await self._close(
            call,
            Settle(
                reserved.call_id,
                reserved.try_number,
                usage=report.usage,
                usage_source="estimated" if estimated else "reported",
                charge=charge,
                provider_cost=report.cost_microusd,
                model_served=model_served,
                response=response,
                flags=flags,
            ),
        )

    async def release(self, call: Call, reserved: Reserved, *, http_status: int | None, error: str) -> Closed:
        """Close a try that the provider refused or that was never sent; it costs nothing."""
        return await self._close(call, Release(reserved.call_id, reserved.try_number, http_status, error))

    async def lose(self, call: Call, reserved: Reserved, *, error: str, http_status: int | None = None) -> Closed:
        """Close a try of which nobody knows whether it was answered; it is charged its reservation."""
        return await self._close(call, Lose(reserved.call_id, reserved.try_number, error, http_status))

    async def _reserve(self, call: Call, asked: Reserve) -> ReserveOutcome:
        deciding = asyncio.ensure_future(reserve(self._database, asked))
        try:
            outcome = await asyncio.shield(deciding)
        except asyncio.CancelledError:
            await asyncio.wait([deciding])
            if not deciding.exception() and isinstance(unsent := deciding.result(), Reserved):
                await self.release(call, unsent, http_status=None, error="cancelled before it was sent")
            raise
        if isinstance(outcome, Reserved):
            call.call_id, call.charged_microusd = outcome.call_id, outcome.charged
        return outcome

    async def _close(self, call: Call, how: Close) -> Closed:
        closed = await _to_the_end(close(self._database, how, call.run_id))
        call.charged_microusd += closed.charge
        if (wake := self._waiting.pop(call.run_id, None)) is not None:
            wake.set()
        return closed

    async def _wait(self, call: Call, wake: asyncio.Event) -> None:
        left = call.deadline - asyncio.get_running_loop().time()
        if left <= 0:
            raise CallFailed(
                "budget_wait_timeout",
                "the call waited for the run's other calls to settle until its time limit; lower the concurrency or the"
                " output limit, or start a run with a higher max_cost",
                charge_microusd=call.charged_microusd,
                status=504,
            )
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(wake.wait(), min(left, SECONDS_BETWEEN_POLLS))


async def _to_the_end[T](work: Coroutine[Any, Any, T]) -> T:
    """Await work to its end even when the caller is cancelled meanwhile, and only then be cancelled."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
