"""How providers' chat endpoints differ in what they are sent."""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from evalrouter_server.catalog.providers import PROVIDERS
from evalrouter_server.gateway.usage import OPENAI_USAGE, USAGE_BY_PROVIDER, UsageRule
from evalrouter_server.quoting.images import image_tokens_of

type OutputLimitField = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one model at one provider wants and reports.

    Attributes:
        usage: How it reports tokens.
        output_limit_field: The field that limits its output, reasoning included.
        hides_reasoning: Whether it may spend output tokens that no text shows.
        takes_temperature: Whether it accepts a temperature.
        least_effort: The `reasoning_effort` for a benchmark's short answers; None: the model has no such setting.
        service_tier: The `service_tier` that its price is for, set on every call; None: the provider has no tiers.
        messages_service_tier: The same in the words of the Messages wire.
        image_tokens: The most tokens that the model makes of one image; None: not known, so it takes none.
        is_anthropic: Whether the endpoint is Anthropic's own, which wants its key in a header of its own alone.
    """

    usage: UsageRule = OPENAI_USAGE
    output_limit_field: OutputLimitField = "max_tokens"
    hides_reasoning: bool = False
    takes_temperature: bool = True
    least_effort: str | None = None
    service_tier: str | None = None
    messages_service_tier: str | None = None
    image_tokens: int | None = None
    is_anthropic: bool = False


def dialect_of(provider: str, slug: str) -> Dialect:
    """The dialect of a provider's model.

    Args:
        provider: The provider's slug; one that is not known speaks plain OpenAI.
        slug: The model's slug at the provider.
    """
    usage = USAGE_BY_PROVIDER.get(provider, OPENAI_USAGE)
    images = image_tokens_of(provider, slug)
    if provider == "anthropic":
        return Dialect(usage=usage, messages_service_tier="standard_only", image_tokens=images, is_anthropic=True)
    if provider != "openai":
        return Dialect(usage=usage, hides_reasoning=provider in ("x-ai", "google", "openrouter"))
    if not re.match(r"(gpt-([5-9]|\d\d)|o\d)", slug):
        return Dialect(
            usage=usage, output_limit_field="max_completion_tokens", service_tier="default", image_tokens=images
        )
    return Dialect(
        usage=usage,
        output_limit_field="max_completion_tokens",
        hides_reasoning=True,
        takes_temperature=False,
        least_effort=_least_effort(slug),
        service_tier="default",
        image_tokens=images,
    )


def dialect_of_endpoint(base_url: str, model: str) -> Dialect:
    """The dialect behind a connection: that of a provider in the table where the address is its, else plain OpenAI.

    Args:
        base_url: The connection's address.
        model: The model's name there.
    """
    host = urlsplit(base_url).hostname
    known = (provider.id for provider in PROVIDERS.values() if urlsplit(provider.base_url).hostname == host)
    return dialect_of(next(known, ""), model)


def _least_effort(slug: str) -> str | None:
    if re.match(r"o1-(mini|preview)", slug):
        return None
    return "minimal" if re.match(r"gpt-5(-|$)", slug) else "low"
