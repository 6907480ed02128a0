# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class EventScopeValue(StrEnum):
    ALL = "all"
    RUN = "run"

    def __str__(self) -> str:
        return str(self.value)
