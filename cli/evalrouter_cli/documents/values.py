"""What all documents are made of: amounts as plain decimal strings of USD, times in RFC 3339 UTC, lists."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evalrouter_cli.formats import plain

if TYPE_CHECKING:
    from decimal import Decimal

type Document = dict[str, Any]


def items(documents: Iterable[Document], **about: Any) -> Document:
    """A list, as a document that can grow."""
    return {**about, "items": list(documents)}


def amount(value: "Decimal | None") -> str | None:
    """An amount as a plain decimal string; None stays None."""
    return None if value is None else plain(value)


def time(value: datetime | None) -> str | None:
    """A time in RFC 3339, UTC; None stays None."""
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")
