"""Amounts: exact Decimal USD at the edges, integer micro-USD on the wire, and binary floating point nowhere."""

import re
from decimal import Decimal

from evalrouter.errors import InvalidArgumentError

type Usd = int | str | Decimal | float
"""What an amount of USD may be given as; a float counts by its shortest decimal form."""

MICRO_USD_PER_USD = 1_000_000
_LARGEST_USD = Decimal(10) ** 9
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


def parse_usd(value: Usd, argument: str = "max_cost") -> Decimal:
    """Reads an amount that is to be spent, added or allowed.

    Args:
        value: USD; more than 0, at most 1,000,000,000, with at most six decimals.
        argument: The argument's name, for the error.

    Raises:
        InvalidArgumentError: It is anything else; NaN, infinities, booleans, separators and currency signs included.
    """
    amount = _exact(value, argument)
    if amount <= 0:
        raise _refusal(argument, value, "it must be more than 0")
    if _decimals(amount) > 6:
        raise _refusal(argument, value, "it has more than six decimals, and a micro-dollar is the smallest amount")
    return amount


def parse_price(value: Usd, argument: str) -> Decimal:
    """Reads a price, where 0 and up to 12 decimals are fine.

    Args:
        value: USD per million tokens; at least 0 and less than 1,000,000,000.
        argument: The argument's name, for the error.

    Raises:
        InvalidArgumentError: It is anything else.
    """
    amount = _exact(value, argument)
    if amount < 0:
        raise _refusal(argument, value, "it must not be negative")
    if amount >= _LARGEST_USD:
        raise _refusal(argument, value, "it must be less than 1,000,000,000 USD")
    if _decimals(amount) > 12:
        raise _refusal(argument, value, "it has more than twelve decimals")
    return amount


def to_microusd(amount: Decimal) -> int:
    """Micro-USD of an amount of USD with at most six decimals.

    Raises:
        ValueError: The amount is not a whole number of micro-USD.
    """
    micro = amount * MICRO_USD_PER_USD
    if micro != micro.to_integral_value():
        raise ValueError(f"{amount} USD is not a whole number of micro-USD")
    return int(micro)


def from_microusd(microusd: int) -> Decimal:
    """USD of an amount of micro-USD, exact and without trailing zeros (`5`, `0.25`)."""
    return _plain(Decimal(microusd).scaleb(-6))


def format_usd(amount: Decimal) -> str:
    """An amount for a reader: at least two decimals, all that are not zero (`$5.00`, `$0.000125`, `-$1.50`)."""
    whole, _, decimals = f"{abs(amount):f}".partition(".")
    return f"{'-' if amount < 0 else ''}${whole}.{decimals.rstrip('0').ljust(2, '0')}"


def format_decimal(amount: Decimal) -> str:
    """An amount for a program: plain decimal digits without an exponent."""
    return f"{amount:f}"


def _exact(value: object, argument: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal | float):
        raise _refusal(argument, value, "it must be an int, str, Decimal or float")
    text = str(value) if isinstance(value, int | Decimal) else value if isinstance(value, str) else repr(float(value))
    if not _PLAIN_NUMBER.fullmatch(text):
        raise _refusal(argument, value, 'write a plain number of USD such as 5 or "0.25", without separators or a sign')
    amount = Decimal(text)
    if abs(amount) > _LARGEST_USD:
        raise _refusal(argument, value, "it is more than 1,000,000,000 USD")
    return _plain(amount)


def _plain(amount: Decimal) -> Decimal:
    normal = amount.normalize()
    exponent = normal.as_tuple().exponent
    return normal.quantize(Decimal(1)) if isinstance(exponent, int) and exponent > 0 else normal


def _decimals(amount: Decimal) -> int:
    exponent = amount.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _refusal(argument: str, value: object, reason: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{argument}={_shown(value)} is not an amount of USD: {reason}.")


def _shown(value: object) -> str:
    shown = repr(value) if isinstance(value, int | str | Decimal | float) else f"<{type(value).__name__}>"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
