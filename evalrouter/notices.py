"""One-line notices to the person at the terminal."""

import sys

from evalrouter.types import RunData


def tell_reused(run: RunData, from_quote: bool) -> None:
    """Says on stderr that a create returned an earlier run, and how to get a new one."""
    way_on = "pass idempotency_key= (or --new to the command) for a new one"
    if from_quote:
        way_on = f"{way_on}, when you make its quote"
    print(f"reused {run.id} from {run.created_at:%Y-%m-%d} ({run.status}); {way_on}", file=sys.stderr)


def tell(progress: str) -> None:
    """Says on stderr what is going on, such as an installation.

    Args:
        progress: A sentence.
    """
    print(f"evalrouter: {progress}", file=sys.stderr, flush=True)
