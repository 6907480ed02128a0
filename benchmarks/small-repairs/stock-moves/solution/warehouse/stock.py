"""The stock of a warehouse."""

from collections import Counter
from types import TracebackType
from typing import Self

from warehouse.errors import OutOfStock, ReservationEnded

type Order = list[tuple[str, int]]


class Stock:
    """How many there are of each product."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()

    def add(self, product: str, count: int) -> None:
        """Put products into the warehouse."""
        _check(count)
        self._counts[product] += count

    def take(self, order: Order) -> None:
        """Take an order out of the warehouse, all of it or nothing.

        Raises:
            OutOfStock: Something is missing.
        """
        self.reserve(order).confirm()

    def reserve(self, order: Order) -> "Reservation":
        """Keep an order for later.

        Raises:
            OutOfStock: Something is missing.
        """
        wanted: Counter[str] = Counter()
        for product, count in order:
            _check(count)
            wanted[product] += count
        missing = {product: count - self.available(product) for product, count in wanted.items()}
        if any(count > 0 for count in missing.values()):
            raise OutOfStock({product: count for product, count in missing.items() if count > 0})
        self._reserved += wanted
        return Reservation(self, wanted)

    def available(self, product: str) -> int:
        """How many may be taken."""
        return self._counts[product] - self._reserved[product]

    def on_hand(self, product: str) -> int:
        """How many there are, with those that are reserved."""
        return self._counts[product]

    def products(self) -> list[str]:
        """What there is, by name."""
        return sorted(product for product, count in self._counts.items() if count)

    def _end(self, wanted: Counter[str], is_taken: bool) -> None:
        self._reserved -= wanted
        if is_taken:
            self._counts -= wanted


class Reservation:
    """An order that is kept for later."""

    def __init__(self, stock: Stock, wanted: Counter[str]) -> None:
        self._stock = stock
        self._wanted = wanted
        self._has_ended = False

    def confirm(self) -> None:
        """Take it."""
        self._end(is_taken=True)

    def release(self) -> None:
        """Give it back."""
        self._end(is_taken=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._has_ended:
            self._end(is_taken=kind is None)

    def _end(self, is_taken: bool) -> None:
        if self._has_ended:
            raise ReservationEnded
        self._has_ended = True
        self._stock._end(self._wanted, is_taken)


def _check(count: int) -> None:
    if count <= 0:
        raise ValueError(f"{count} is not a count")
