"""Moving dates by months."""

from calendar import monthrange
from datetime import date


def add_months(day: date, count: int) -> date:
    """The date some months later; a day that the month does not have becomes its last one."""
    years, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(years, month + 1, min(day.day, monthrange(years, month + 1)[1]))


def payment_days(start: date, count: int) -> list[date]:
    """One date a month."""
    return [add_months(start, number) for number in range(count)]
