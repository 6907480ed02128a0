# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class SpanStatusValue(StrEnum):
    ERROR = "error"
    OK = "ok"
    UNSET = "unset"

    def __str__(self) -> str:
        return str(self.value)
