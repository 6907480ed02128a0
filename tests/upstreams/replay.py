"""A provider's double that answers each prompt with its recording."""

from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from tests.upstreams.scripted import Handler, answer, refuse, usage


def replay(
    recordings: Mapping[str, str],
    *,
    rewrite: Callable[[str], str] = str,
    key_of: Callable[[str], str] | None = None,
    otherwise: str | None = None,
) -> Handler:
    """Answer with the recording whose key stands last in the prompt; the longest key on a tie; 404 where none does.

    A recording is given whole, and billed at four characters a token up to the request's limit.

    Args:
        recordings: Outputs by a text that the prompt contains.
        rewrite: What is done to an output, such as putting its last line in a protocol's form.
        key_of: Takes the key from the prompt, where looking for each would take long.
        otherwise: What is answered where there is no recording; None: 404.
    """

    async def handle(request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        prompt = body["messages"][-1]["content"]
        output = recordings.get(prompt if key_of is None else key_of(prompt), otherwise)
        if output is None and key_of is None:
            hits = [(prompt.rfind(key) + len(key), len(key), text) for key, text in recordings.items() if key in prompt]
            output = max(hits)[2] if hits else None
        if output is None:
            return await refuse(404, message="no recording for this prompt", type="not_found")(request, body)
        text = rewrite(output)
        billed = min(len(text) // 4 + 1, body["max_tokens"])
        return await answer(text, report=usage(len(prompt) // 4 + 1, billed))(request, body)

    return handle
