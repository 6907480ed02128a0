# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class SpanCoverageValue(StrEnum):
    OBSERVED = "observed"
    RECORDED = "recorded"

    def __str__(self) -> str:
        return str(self.value)
