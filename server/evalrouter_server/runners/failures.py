"""What a call that came to nothing means for its task and its run."""

from evalrouter_server.gateway.exchange import ProviderRefused
from evalrouter_server.gateway.metering import BoundExceeded, BudgetExhausted, CallFailed, RunStopped
from evalrouter_server.runners.outcome import Failed, NotRun

NEEDS_SOMEBODY = (401, 402)
"""Refusals that every other call would meet too, until the key or the account is put right."""

type CallError = BudgetExhausted | CallFailed | RunStopped


def outcome_of(error: CallError) -> Failed | NotRun:
    """The outcome of the task whose call raised this.

    Args:
        error: What `Gateway.complete` raised.
    """
    match error:
        case BudgetExhausted():
            return NotRun("budget_exhausted: what is left of the cap cannot pay for another call")
        case BoundExceeded():
            return NotRun(f"{error.code}: {error.message}")
        case RunStopped():
            return NotRun()
        case ProviderRefused(error=said) if said.status in NEEDS_SOMEBODY:
            return NotRun(
                pauses_run_because=f"provider_refused_key: {error.message}; set its key and billing right, then resume"
            )
        case CallFailed():
            return Failed(error.code, error.message, error.charge_microusd)
