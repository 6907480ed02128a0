"""The large providers: their OpenAI-compatible endpoints, and which variable of the environment holds the key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider whose chat models can be called with a key of the server's environment.

    Attributes:
        id: Its slug, the same as in the price package.
        name: Its display name.
        base_url: The root of its OpenAI-compatible interface; `/chat/completions` follows.
        key_variables: Environment variables that may hold the key; the first one that is set counts.
        makes: A pattern of the slugs that it makes itself, whose bare names mean this provider; None: it resells.
        serves_others: Whether its endpoint also serves models that it does not make.
        upstream_prefix: What the endpoint wants before a model's slug.
    """

    id: str
    name: str
    base_url: str
    key_variables: tuple[str, ...]
    makes: str | None = None
    serves_others: bool = False
    upstream_prefix: str = ""

    def is_maker_of(self, slug: str) -> bool:
        """Whether the bare slug means this provider's model."""
        return self.makes is not None and re.fullmatch(self.makes, slug) is not None

    def serves(self, slug: str) -> bool:
        """Whether the endpoint serves the model."""
        return self.serves_others or self.is_maker_of(slug)

    @property
    def missing_key(self) -> str:
        """What to do where the key is missing."""
        return f"set {' or '.join(self.key_variables)} in the server's environment"

    def key(self, environment: Mapping[str, str]) -> str | None:
        """The key, from the first variable that is set and not empty."""
        return next((value for name in self.key_variables if (value := environment.get(name, "").strip())), None)


PROVIDERS: Mapping[str, Provider] = {
    provider.id: provider
    for provider in (
        Provider(
            "openai",
            "OpenAI",
            "https://api.openai.com/v1",
            ("OPENAI_API_KEY",),
            makes=r"(gpt-(?!oss)|chatgpt-|o\d).*",
        ),
        Provider("anthropic", "Anthropic", "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), makes=r"claude-.*"),
        Provider(
            "google",
            "Google",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            makes=r"(gemini|gemma)-.*",
        ),
        Provider(
            "mistral",
            "Mistral",
            "https://api.mistral.ai/v1",
            ("MISTRAL_API_KEY",),
            makes=r"(mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|mixtral)-?.*",
        ),
        Provider("deepseek", "DeepSeek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",), makes=r"deepseek-.*"),
        Provider("x-ai", "xAI", "https://api.x.ai/v1", ("XAI_API_KEY",), makes=r"grok-.*"),
        Provider(
            "cohere",
            "Cohere",
            "https://api.cohere.ai/compatibility/v1",
            ("COHERE_API_KEY", "CO_API_KEY"),
            makes=r"(command|c4ai)-?.*",
        ),
        Provider(
            "moonshotai",
            "Moonshot AI",
            "https://api.moonshot.ai/v1",
            ("MOONSHOT_API_KEY",),
            makes=r"(kimi|moonshot)-.*",
        ),
        Provider(
            "perplexity",
            "Perplexity",
            "https://api.perplexity.ai",
            ("PERPLEXITY_API_KEY",),
            makes=r"(sonar.*|r1-1776)",
        ),
        Provider("groq", "Groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",), serves_others=True),
        Provider("together", "Together AI", "https://api.together.xyz/v1", ("TOGETHER_API_KEY",), serves_others=True),
        Provider(
            "fireworks",
            "Fireworks AI",
            "https://api.fireworks.ai/inference/v1",
            ("FIREWORKS_API_KEY",),
            serves_others=True,
            upstream_prefix="accounts/fireworks/models/",
        ),
        Provider(
            "openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), serves_others=True
        ),
        Provider("cerebras", "Cerebras", "https://api.cerebras.ai/v1", ("CEREBRAS_API_KEY",), serves_others=True),
        Provider("novita", "Novita AI", "https://api.novita.ai/openai/v1", ("NOVITA_API_KEY",), serves_others=True),
    )
}
"""By ID."""
