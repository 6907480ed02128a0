"""Moving dates by months."""

from datetime import date


def add_months(day: date, count: int) -> date:
    """The date some months later."""
    month = day.month + count
    year = day.year
    if month > 12:
        month -= 12
        year += 1
    return date(year, month, day.day)


def payment_days(start: date, count: int) -> list[date]:
    """One date a month."""
    days = []
    for _ in range(count):
        days.append(start)
        start = add_months(start, 1)
    return days
