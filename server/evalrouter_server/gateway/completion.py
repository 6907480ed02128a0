"""What comes of a metered call."""

from dataclasses import dataclass
from typing import Any

from evalrouter_server.quoting.price import Usage


@dataclass(frozen=True, slots=True)
class Completion:
    """A settled call.

    Attributes:
        text: The text that the model wrote.
        finish_reason: Why it stopped, in the wire's words.
        usage: Tokens in disjoint kinds.
        charge_microusd: What the call was charged in all, lost tries included, in micro-USD.
        model_served: The model that the provider says answered.
        latency_seconds: From the first try to the last byte; None of an answer that was replayed.
        raw: The provider's answer, decoded.
    """

    text: str
    finish_reason: str | None
    usage: Usage
    charge_microusd: int
    model_served: str | None
    latency_seconds: float | None
    raw: dict[str, Any]
