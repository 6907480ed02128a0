# Generated from openapi.yaml by scripts/regen; do not edit.

"""Low-level client of EvalRouter's REST API: one module an operation, one class a schema."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .client import AuthenticatedClient, Client

__all__ = ("AuthenticatedClient", "Client")

if not TYPE_CHECKING:

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import client

        return getattr(client, name)

    def __dir__():
        return sorted([*globals(), *__all__])
