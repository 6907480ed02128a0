"""The arguments of `connections.create` and `create_a2a`, checked before any request."""

from decimal import Decimal

from evalrouter.errors import InvalidArgumentError
from evalrouter.money import Usd, parse_price
from evalrouter.types import Connection


def read_prices(
    *,
    kind: str,
    free: bool,
    input_price: Usd | None,
    output_price: Usd | None,
    cached_input_price: Usd | None,
    key: str | None,
    key_env: str | None,
) -> tuple[Decimal, Decimal, Decimal | None] | None:
    """The prices of a connection in USD per million tokens: input, output, cached input; None where it is free.

    Raises:
        InvalidArgumentError: The arguments do not fit together.
    """
    if kind != "model":
        raise InvalidArgumentError(
            f'kind={kind!r} is not valid: pass "model", or call create_a2a() for "a2a", create_trace() for "trace".'
        )
    check_one_key(key, key_env)
    if free:
        if not (input_price is None and output_price is None and cached_input_price is None):
            raise InvalidArgumentError("free=True and a price are both given: leave one out.")
        return None
    if input_price is None or output_price is None:
        raise InvalidArgumentError(
            "The price is missing: pass input_price= and output_price= in USD per million tokens, or free=True. "
            "A model without a price is never treated as free."
        )
    return (
        parse_price(input_price, "input_price"),
        parse_price(output_price, "output_price"),
        None if cached_input_price is None else parse_price(cached_input_price, "cached_input_price"),
    )


def check_one_key(key: str | None, key_env: str | None) -> None:
    """Refuses two ways to give one key.

    Raises:
        InvalidArgumentError: Both are given.
    """
    if key is not None and key_env is not None:
        raise InvalidArgumentError("key= and key_env= are both given: pass the key, or the variable that holds it.")


def checked_agent_connection(connection: Connection) -> Connection:
    """The connection of a remote agent.

    Raises:
        InvalidArgumentError: It is of another kind.
    """
    if connection.kind != "a2a":
        raise InvalidArgumentError(
            f"remote:{connection.name} names a {connection.kind} connection, not a remote agent: connect one with "
            "connections.create_a2a()."
        )
    return connection
