"""The stock of a warehouse."""

from warehouse.errors import OutOfStock

type Order = list[tuple[str, int]]


class Stock:
    """How many there are of each product."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, product: str, count: int) -> None:
        """Put products into the warehouse."""
        self._counts[product] = self._counts.get(product, 0) + count

    def take(self, order: Order) -> None:
        """Take an order out of the warehouse."""
        for product, count in order:
            if self._counts.get(product, 0) < count:
                raise OutOfStock(product)
            self._counts[product] -= count

    def on_hand(self, product: str) -> int:
        """How many there are."""
        return self._counts[product]

    def products(self) -> list[str]:
        """What there is, by name."""
        return sorted(self._counts)
