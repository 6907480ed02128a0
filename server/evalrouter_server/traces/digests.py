"""What names a span, a batch and a sealed trace by their content. Senders do the same by the contract's words."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any


def canonical(span: Any) -> str:
    """A span as the text that its content digest is of: ASCII, sorted keys, no spaces.

    Args:
        span: A JSON value.
    """
    return json.dumps(span, sort_keys=True, separators=(",", ":"))


def decode(body: bytes) -> Any:
    """A request's JSON as it was sent.

    Args:
        body: Bytes that were decoded before.

    Raises:
        ValueError: It has NaN or an infinity, which are no JSON.
    """
    return json.loads(body, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def content_digest(text: str) -> str:
    """The sha256 of a canonical span, in lowercase hex."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def batch_digest(content_digests: Iterable[str]) -> str:
    """The digest of a batch.

    Args:
        content_digests: Those of its spans, in the order sent.
    """
    return hashlib.sha256("\n".join(content_digests).encode("ascii")).hexdigest()


def trace_digest(spans: Iterable[tuple[str, str]]) -> str:
    """The digest of a trace.

    Args:
        spans: Each span's ID and content digest, in any order.
    """
    return hashlib.sha256("\n".join(sorted(f"{name}:{digest}" for name, digest in spans)).encode("ascii")).hexdigest()
