"""Images in a request: counted apart from its texts, for their bytes are not read as text."""

from typing import Any

from evalrouter_server.gateway.request_checks import kind_of, refuse_long_cache, unbounded

_TYPES = frozenset({"image_url", "input_image", "image"})
_FIELDS = frozenset({"type", "image_url", "source", "detail", "cache_control"})
_HOLDERS = frozenset({"content", "output"})
"""Fields of messages, items and blocks that may hold images."""

_DETAILS = (None, "auto", "low", "high")


def without_images(value: Any, param: str) -> tuple[Any, int]:
    """A request's part with its images left out, and how many there were.

    Args:
        value: Messages, items or blocks of any wire.
        param: The request's field that they are in.

    Raises:
        RequestRefused: An image is a stored file, or asks for more detail than its bound is for (`unbounded_request`).
    """
    if isinstance(value, dict):
        if kind_of(value, param) in _TYPES:
            _check(value, param)
            return {"type": "text", "text": ""}, 1
        # Elsewhere, as in what a tool was called with, it is text, whatever it looks like.
        parts = {
            name: without_images(entry, param) if name in _HOLDERS else (entry, 0) for name, entry in value.items()
        }
        return {name: part for name, (part, _) in parts.items()}, sum(count for _, count in parts.values())
    if isinstance(value, list):
        entries = [without_images(entry, param) for entry in value]
        return [entry for entry, _ in entries], sum(count for _, count in entries)
    return value, 0


def bound_of(count: int, image_tokens: int | None, param: str) -> int:
    """The most tokens of this many images.

    Args:
        count: How many.
        image_tokens: The most that the model makes of one; None where that is not known.
        param: The request's field that they are in.

    Raises:
        RequestRefused: There are images, and what the model makes of one is not known (`unbounded_request`).
    """
    if count and image_tokens is None:
        unbounded(param, "an image has no known bound on its tokens with this model; send text only")
    return count * (image_tokens or 0)


def _check(image: dict[str, Any], param: str) -> None:
    refuse_long_cache(image, param)
    if unknown := image.keys() - _FIELDS:
        unbounded(param, f"the image field {min(unknown)[:80]!r} is not known to be free of extra cost; leave it out")
    place = image.get("image_url") or image.get("source")
    fields = place if isinstance(place, dict) else {"url": place}
    if not isinstance(fields.get("url") or fields.get("data"), str):
        unbounded(param, "an image must hold its own bytes or its address; a stored file has no known bound")
    if (detail := image.get("detail") or fields.get("detail")) not in _DETAILS:
        unbounded(param, f"an image in detail {str(detail)[:40]!r} has no known bound on its tokens; leave it out")
