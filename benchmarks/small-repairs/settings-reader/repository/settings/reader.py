"""Reading settings."""


class SettingsError(ValueError):
    """A line is not valid.

    Attributes:
        line: Its number.
    """

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} is not valid")
        self.line = line


def read(text: str) -> dict[str, dict[str, str]]:
    """Read settings: sections with their keys and values."""
    sections: dict[str, dict[str, str]] = {}
    current = ""
    for number, line in enumerate(text.split("\n")):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if line.startswith("["):
            current = line.strip("[]")
            sections[current] = {}
        elif "=" in line:
            key, value = line.split("=")
            sections.setdefault(current, {})[key.strip()] = value.strip().strip('"')
        else:
            raise SettingsError(number)
    return sections
