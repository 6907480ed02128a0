"""The client's numbers, checked."""

from math import isfinite

from evalrouter.errors import ConfigurationError


def checked_timeout(timeout: float) -> float:
    """Seconds that a request may take.

    Raises:
        ConfigurationError: It is not a finite number above 0.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not isfinite(timeout) or timeout <= 0:
        raise ConfigurationError(f"timeout={timeout!r} is not valid: pass seconds, more than 0.")
    return float(timeout)


def checked_max_retries(max_retries: int) -> int:
    """Tries after the first.

    Raises:
        ConfigurationError: It is not a whole number of at least 0.
    """
    if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
        raise ConfigurationError(f"max_retries={max_retries!r} is not valid: pass a whole number of at least 0.")
    return max_retries
