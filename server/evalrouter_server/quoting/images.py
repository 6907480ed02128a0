"""The most tokens that a model makes of one image.

What the makers document: OpenAI scales an image to at most 8 tiles of 512 pixels (base and tile tokens by model) or to
1,536 patches times a factor by model (https://platform.openai.com/docs/guides/images-vision, "Calculating costs");
Anthropic scales it to about 1,600 tokens, its newest models to about 4,800
(https://platform.claude.com/docs/en/build-with-claude/vision). The bounds here have room for what users measure beyond
the documents. A model that is not here takes no images.
"""

import re

_BOUNDS: dict[str, tuple[tuple[str, int], ...]] = {
    "openai": (
        (r"gpt-4o-mini(-\d{4}-\d\d-\d\d)?", 50_000),
        (r"gpt-4\.1-(mini|nano)(-\d{4}-\d\d-\d\d)?|o4-mini(-\d{4}-\d\d-\d\d)?", 5_000),
        (r"gpt-5-(mini|nano)(-\d{4}-\d\d-\d\d)?", 5_000),
        (r"(gpt-4o|gpt-4\.1|gpt-5|gpt-5\.1|gpt-5\.2|o1|o3)(-\d{4}-\d\d-\d\d)?", 2_500),
    ),
    "anthropic": (
        (r"claude-opus-4-[78](-\d{8})?", 7_000),
        (r"claude-(3-.*|haiku-4-5|sonnet-4|sonnet-4-[056]|opus-4|opus-4-[0156])(-\d{8})?", 2_500),
    ),
}


def image_tokens_of(provider: str, slug: str) -> int | None:
    """The most tokens that a model makes of one image; None where that is not known.

    Args:
        provider: The provider's slug.
        slug: The model's slug at the provider.
    """
    return next((most for names, most in _BOUNDS.get(provider, ()) if re.fullmatch(names, slug)), None)
