"""What can go wrong in a warehouse."""

from collections.abc import Mapping


class OutOfStock(Exception):
    """There is not enough of a product.

    Attributes:
        missing: How many are lacking of each product.
    """

    def __init__(self, missing: Mapping[str, int]) -> None:
        super().__init__(f"missing: {dict(missing)}")
        self.missing = dict(missing)


class ReservationEnded(Exception):
    """The reservation was confirmed or released before."""
