"""What can go wrong."""


class UnknownConversion(LookupError):
    """No rules lead from one unit to the other."""

    def __init__(self, source: str, target: str) -> None:
        super().__init__(f"there is no way from {source} to {target}")
