"""Prices, usage, and the exact charge of one model call."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

# Wide enough that no product of a price and a token count is ever rounded.
_EXACT = Context(prec=60)

type UsdPerMillion = Annotated[Decimal, Field(ge=0, le=10**9, allow_inf_nan=False, max_digits=30)]


class Rates(BaseModel):
    """What one million tokens of each kind cost; the names are those of the contract.

    Attributes:
        input_usd_per_mtok: USD per million input tokens.
        output_usd_per_mtok: USD per million output tokens, reasoning tokens among them.
        cached_input_usd_per_mtok: USD per million input tokens read from the provider's cache; None: as other input.
        cache_write_usd_per_mtok: USD per million input tokens written to the provider's cache; None: as other input.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    input_usd_per_mtok: UsdPerMillion
    output_usd_per_mtok: UsdPerMillion
    cached_input_usd_per_mtok: UsdPerMillion | None = None
    cache_write_usd_per_mtok: UsdPerMillion | None = None

    @property
    def cached_input(self) -> Decimal:
        """USD per million input tokens read from the cache."""
        rate = self.cached_input_usd_per_mtok
        return self.input_usd_per_mtok if rate is None else rate

    @property
    def cache_write(self) -> Decimal:
        """USD per million input tokens written to the cache."""
        rate = self.cache_write_usd_per_mtok
        return self.input_usd_per_mtok if rate is None else rate

    @property
    def dearest_input(self) -> Decimal:
        """USD per million of the dearest kind of input token."""
        return max(self.input_usd_per_mtok, self.cached_input, self.cache_write)


class Tier(Rates):
    """Other rates for calls with a large input.

    Attributes:
        above_input_tokens: The tier holds for the whole of a call with more input tokens, of all kinds, than this.
    """

    above_input_tokens: int = Field(ge=0)


class Price(Rates):
    """A model's price as frozen into a quote; its own rates are those of an ordinary call.

    Attributes:
        source: Where the price comes from, such as `genai-prices` or `connection`.
        version: The version of that source.
        tiers: Other rates for large inputs, by ascending size.
    """

    source: str
    version: str
    tiers: tuple[Tier, ...] = ()

    @model_validator(mode="after")
    def _tiers_ascend(self) -> Self:
        sizes = [tier.above_input_tokens for tier in self.tiers]
        if sizes != sorted(set(sizes)):
            raise ValueError(f"the tiers of a price must ascend by size, without repeats: {sizes}")
        return self

    @property
    def is_free(self) -> bool:
        """Whether no call can cost anything."""
        return all(rates.dearest_input == rates.output_usd_per_mtok == 0 for rates in (self, *self.tiers))

    def reachable(self, input_tokens: int) -> tuple[Rates, ...]:
        """The rates that a call with at most this many input tokens may come under, by ascending size."""
        return (self, *(tier for tier in self.tiers if input_tokens > tier.above_input_tokens))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call in disjoint kinds.

    Attributes:
        input_tokens: Input tokens neither read from nor written to the provider's cache.
        cached_input_tokens: Input tokens read from the provider's cache.
        cache_write_tokens: Input tokens written to the provider's cache.
        output_tokens: Output tokens, reasoning tokens among them.
        reasoning_tokens: How many of the output tokens were reasoning; for information, priced as output.
    """

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    def __post_init__(self) -> None:
        if min(self.by_kind().values()) < 0:
            raise ValueError(f"token counts must not be negative: {self}")

    def by_kind(self) -> dict[str, int]:
        """The counts by their names."""
        return {
            "input_tokens": self.input_tokens,
            "cached_input_tokens": self.cached_input_tokens,
            "cache_write_tokens": self.cache_write_tokens,
            "output_tokens": self.output_tokens,
            "reasoning_tokens": self.reasoning_tokens,
        }

    @property
    def all_input_tokens(self) -> int:
        """Input tokens of every kind."""
        return self.input_tokens + self.cached_input_tokens + self.cache_write_tokens


def charge_microusd(price: Price, usage: Usage) -> int:
    """The charge of one call: usage times rates, rounded up once to a whole micro-USD.

    Args:
        price: The price frozen in the quote.
        usage: What the provider reported, in disjoint kinds.

    Returns:
        Micro-USD. (USD per million tokens is micro-USD per token, so nothing is scaled.)
    """
    rates = price.reachable(usage.all_input_tokens)[-1]
    with localcontext(_EXACT):
        return _ceiling(
            usage.input_tokens * rates.input_usd_per_mtok
            + usage.cached_input_tokens * rates.cached_input
            + usage.cache_write_tokens * rates.cache_write
            + usage.output_tokens * rates.output_usd_per_mtok
        )


def worst_case_microusd(price: Price, input_tokens: int, output_tokens: int) -> int:
    """The most that a call within these bounds can be charged.

    Every input token is taken as the dearest kind, under the dearest rates that an input of at most this size may
    come under; every output token is taken as used.

    Args:
        price: The price frozen in the quote.
        input_tokens: Upper bound of the input tokens of all kinds.
        output_tokens: Upper bound of the output tokens.

    Returns:
        Micro-USD; at least `charge_microusd` of every usage within the bounds.

    Raises:
        ValueError: A bound is negative.
    """
    if input_tokens < 0 or output_tokens < 0:
        raise ValueError(f"token bounds must not be negative: input {input_tokens}, output {output_tokens}")
    with localcontext(_EXACT):
        return max(
            _ceiling(input_tokens * rates.dearest_input + output_tokens * rates.output_usd_per_mtok)
            for rates in price.reachable(input_tokens)
        )


def _ceiling(amount: Decimal) -> int:
    return int(amount.to_integral_value(rounding=ROUND_CEILING))
