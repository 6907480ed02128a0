"""Reading settings."""

import re

_SECTION = re.compile(r"\[([^\[\]]*)\]\s*(?:#.*)?")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"\s*(?:#.*)?')
_COMMENT = re.compile(r"(?:^|\s)#.*")


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
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            section = _SECTION.fullmatch(line)
            if section is None:
                raise SettingsError(number)
            current = section[1].strip()
            sections.setdefault(current, {})
            continue
        key, equals, value = line.partition("=")
        if not equals or not key.strip():
            raise SettingsError(number)
        sections.setdefault(current, {})[key.strip()] = _value(value.strip(), number)
    return sections


def _value(text: str, number: int) -> str:
    if not text.startswith('"'):
        return _COMMENT.sub("", text).strip()
    quoted = _QUOTED.fullmatch(text)
    if quoted is None:
        raise SettingsError(number)
    return re.sub(r"\\(.)", r"\1", quoted[1])
