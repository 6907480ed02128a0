# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class SpanOriginValue(StrEnum):
    ATTACH = "attach"
    CAPTURE = "capture"
    LANGSMITH = "langsmith"

    def __str__(self) -> str:
        return str(self.value)
