"""From a provider's report of tokens to disjoint kinds; every difference between providers is in one table.

A provider that reports nothing usable gets the documented estimate: one token for each three UTF-8 bytes of text,
rounded up, and four tokens for each message. English has about four bytes to a token, so that is rather too much
than too little; like every charge it is cut to the call's reservation.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, DecimalException
from typing import Any

from evalrouter_server.ledger.items import LARGEST_AMOUNT
from evalrouter_server.quoting.price import Usage

type Path = tuple[str, ...]

MOST_TOKENS = 10**12
"""A larger count is taken as this many, so that sums stay far inside 64 bits."""

BYTES_PER_TOKEN = 3
"""Of the estimate."""

TOKENS_PER_MESSAGE = 4
"""Of the estimate."""


@dataclass(frozen=True, slots=True)
class UsageRule:
    """How a provider reports tokens.

    Attributes:
        input: Where the input tokens are, inside the report.
        output: Where the output tokens are.
        cached: Where the input tokens read from its cache may be; the first place that has a number counts.
        written: Where the input tokens written to its cache may be.
        reasoning: Where the reasoning tokens may be.
        cache_is_in_input: Whether the input tokens include those of the cache.
        reasoning_is_in_output: Whether the output tokens include the reasoning.
        cost: Where its own cost may be.
        cost_units_per_usd: How many of its units of cost make a dollar.
    """

    input: Path = ("prompt_tokens",)
    output: Path = ("completion_tokens",)
    cached: tuple[Path, ...] = (("prompt_tokens_details", "cached_tokens"), ("cached_tokens",))
    written: tuple[Path, ...] = (("prompt_tokens_details", "cache_write_tokens"),)
    reasoning: tuple[Path, ...] = (("completion_tokens_details", "reasoning_tokens"), ("reasoning_tokens",))
    cache_is_in_input: bool = True
    reasoning_is_in_output: bool = True
    cost: tuple[Path, ...] = ()
    cost_units_per_usd: Decimal = Decimal(1)


OPENAI_USAGE = UsageRule()

USAGE_BY_PROVIDER: Mapping[str, UsageRule] = {
    "openai": OPENAI_USAGE,
    "anthropic": UsageRule(
        cached=(("cached_tokens",), ("cache_read_input_tokens",), ("prompt_tokens_details", "cached_tokens")),
        written=(("cache_creation_input_tokens",), ("prompt_tokens_details", "cache_write_tokens")),
        cache_is_in_input=False,
    ),
    "google": UsageRule(reasoning_is_in_output=False),
    "deepseek": UsageRule(cached=(("prompt_cache_hit_tokens",), ("prompt_tokens_details", "cached_tokens"))),
    "x-ai": UsageRule(
        reasoning_is_in_output=False, cost=(("cost_in_usd_ticks",),), cost_units_per_usd=Decimal(10) ** 10
    ),
    "openrouter": UsageRule(cost=(("cost",),)),
    "perplexity": UsageRule(reasoning_is_in_output=False, cost=(("cost", "total_cost"),)),
}
"""Providers that are not here report as OpenAI does.

`google` and `x-ai` count reasoning beside the completion; whatever `total_tokens` has beyond prompt and completion
is output.
"""

RESPONSES_USAGE = UsageRule(
    input=("input_tokens",),
    output=("output_tokens",),
    cached=(("input_tokens_details", "cached_tokens"),),
    written=(("input_tokens_details", "cache_write_tokens"),),
    reasoning=(("output_tokens_details", "reasoning_tokens"),),
)
"""How the Responses wire reports."""

MESSAGES_USAGE = UsageRule(
    input=("input_tokens",),
    output=("output_tokens",),
    cached=(("cache_read_input_tokens",),),
    written=(("cache_creation_input_tokens",),),
    reasoning=(("output_tokens_details", "thinking_tokens"),),
    cache_is_in_input=False,
)
"""How the Messages wire reports; thinking is among the output tokens."""

_REPORTS: tuple[Path, ...] = (("usage",), ("x_groq", "usage"), ("choices", "0", "usage"))


@dataclass(frozen=True, slots=True)
class Report:
    """What a provider said about one call.

    Attributes:
        usage: Tokens in disjoint kinds.
        cost_microusd: The provider's own cost in micro-USD, rounded up; None where it names none.
    """

    usage: Usage
    cost_microusd: int | None


def find_report(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The report of tokens in an answer or in a chunk of a stream, wherever the provider put it.

    Args:
        answer: The decoded JSON.

    Returns:
        The report; None where there is none.
    """
    for place in _REPORTS:
        found = _at(answer, place)
        if isinstance(found, Mapping) and found:
            return found
    return None


def read_report(report: Mapping[str, Any] | None, rule: UsageRule) -> Report | None:
    """Read a report of tokens.

    Args:
        report: As `find_report` gives it.
        rule: How the provider reports.

    Returns:
        Tokens and cost; None where the report lacks input or output, counts nothing at all (no call has an empty
        input), or holds something that is not a count.
    """
    if report is None:
        return None
    try:
        prompt, completion = _count(report, (rule.input,)), _count(report, (rule.output,))
        cached, written = _count(report, rule.cached) or 0, _count(report, rule.written) or 0
        reasoning, total = _count(report, rule.reasoning) or 0, _count(report, (("total_tokens",),))
    except _NotACountError:
        return None
    if prompt is None or completion is None or not any((prompt, completion, cached, written)):
        return None
    output = completion
    if not rule.reasoning_is_in_output:
        beyond = (total or 0) - prompt - completion
        output = completion + max(reasoning, beyond, 0)
    if rule.cache_is_in_input:
        cached = min(cached, prompt)
        written = min(written, prompt - cached)
        prompt -= cached + written
    usage = Usage(
        input_tokens=prompt,
        cached_input_tokens=cached,
        cache_write_tokens=written,
        output_tokens=output,
        reasoning_tokens=min(max(reasoning, output - completion), output),
    )
    return Report(usage, _cost(report, rule))


def estimate(messages: Sequence[Any], written: Iterable[str], *, output_tokens: int | None = None) -> Usage:
    """The documented estimate of a call whose usage the provider did not report.

    Args:
        messages: Everything that was sent for the model to read: messages and tool definitions, as texts.
        written: Everything that the model wrote.
        output_tokens: Output tokens to take instead of counting: of a model that may have reasoned unseen, its limit.

    Returns:
        Tokens, all of them ordinary input and output.
    """
    counted = sum(_tokens(text) for text in written) if output_tokens is None else output_tokens
    return Usage(input_tokens=sum(_tokens(str(text)) + TOKENS_PER_MESSAGE for text in messages), output_tokens=counted)


class _NotACountError(ValueError):
    """A field of a report that should hold a count holds something else."""


def _tokens(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _count(report: Mapping[str, Any], places: Iterable[Path]) -> int | None:
    for place in places:
        found = _at(report, place)
        if found is None:
            continue
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found < math.inf or found % 1:
            raise _NotACountError
        return min(int(found), MOST_TOKENS)
    return None


def _cost(report: Mapping[str, Any], rule: UsageRule) -> int | None:
    for place in rule.cost:
        found = _at(report, place)
        if found is None or isinstance(found, bool):
            continue
        try:
            amount = Decimal(str(found)) / rule.cost_units_per_usd * 1_000_000
        except DecimalException:
            return None
        if not amount.is_finite() or amount < 0:
            return None
        return int(min(amount, Decimal(LARGEST_AMOUNT)).to_integral_value(rounding=ROUND_CEILING))
    return None
