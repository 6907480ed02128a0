"""What every wire checks of a request: its model's name, its numbers and flags, and what it is refused with."""

from collections.abc import Mapping
from typing import Any, NoReturn

from evalrouter_server.gateway.routing import RunRoute
from evalrouter_server.gateway.wire import RequestRefused


def checked_model(name: Any, route: RunRoute) -> str:
    """The request's model.

    Raises:
        RequestRefused: It is no text (`invalid_request`), or another model than the run's (`model_not_in_run`).
    """
    if not isinstance(name, str):
        invalid("model", f"`model` must be a text; this run's model is {route.model_name}")
    if name not in route.model_names:
        raise RequestRefused(
            "model_not_in_run",
            f"this key's run has the model {route.model_name}, not {name[:200]!r}; ask for {route.model_name}",
            status=404,
            param="model",
        )
    return name


def whole_number(value: Any, name: str, *, most: int) -> int:
    """A field's whole number from 1 to `most`.

    Raises:
        RequestRefused: It is something else (`invalid_request`).
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        invalid(name, f"`{name}` must be a whole number from 1 to {most}")
    return value


def flag(value: Any, name: str) -> bool:
    """A field's true or false.

    Raises:
        RequestRefused: It is something else (`invalid_request`).
    """
    if not isinstance(value, bool):
        invalid(name, f"`{name}` must be true or false")
    return value


def objects(value: Any, name: str) -> list[dict[str, Any]]:
    """A field's list of objects.

    Raises:
        RequestRefused: It is something else (`invalid_request`).
    """
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        invalid(name, f"`{name}` must be a list of objects")
    return value


def kind_of(value: Any, name: str) -> str | None:
    """The `type` of an object; None where it has none, or is no object.

    Raises:
        RequestRefused: Its type is no text (`invalid_request`).
    """
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str | None):
        invalid(name, f"a `type` within `{name}` must be a text")
    return kind


def refuse_unknown(
    fields: Mapping[str, Any], *, harmless: frozenset[str], free_values: Mapping[str, tuple[Any, ...]]
) -> None:
    """Refuse every field that is not known to add nothing to the price and to the bounded tokens.

    Args:
        fields: The request's fields.
        harmless: Fields that may hold anything.
        free_values: Fields that are harmless with these values only.

    Raises:
        RequestRefused: There is another field, or another value (`unbounded_request`).
    """
    for name, value in fields.items():
        if name in harmless:
            continue
        if name not in free_values:
            unbounded(name, f"the field {name[:80]!r} is not known to be free of extra cost; leave it out")
        if value not in free_values[name]:
            unbounded(name, f"the field {name!r} may add cost that the run's cap cannot bound; leave it out")


def refuse_long_cache(part: Mapping[str, Any], param: str) -> None:
    """Refuse a mark that keeps the prompt in the provider's cache for longer than the price is for.

    Raises:
        RequestRefused: Its time to live is not five minutes (`unbounded_request`).
    """
    cache = part.get("cache_control")
    if isinstance(cache, dict) and cache.get("ttl") not in (None, "5m"):
        unbounded(param, "cache_control with another ttl than 5m is priced otherwise; leave the ttl out")


def invalid(param: str, message: str) -> NoReturn:
    """Refuse a malformed request."""
    raise RequestRefused("invalid_request", message, param=param)


def unbounded(param: str, message: str) -> NoReturn:
    """Refuse a request whose cost has no bound."""
    raise RequestRefused("unbounded_request", message, param=param)
