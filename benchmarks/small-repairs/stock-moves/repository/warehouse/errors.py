"""What can go wrong in a warehouse."""


class OutOfStock(Exception):
    """There is not enough of a product."""
