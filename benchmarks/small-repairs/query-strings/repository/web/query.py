"""The query part of addresses."""


def parse(text: str) -> list[tuple[str, str]]:
    """Read a query."""
    found = {}
    for pair in text.split("&"):
        name, value = pair.split("=")
        found[name] = value.replace("%20", " ")
    return list(found.items())


def build(pairs: list[tuple[str, str]]) -> str:
    """Write a query."""
    return "&".join(f"{name}={value}" for name, value in pairs)
