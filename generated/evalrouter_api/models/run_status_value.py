# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class RunStatusValue(StrEnum):
    CANCELLED = "cancelled"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    PARTIAL = "partial"
    PAUSED = "paused"
    QUEUED = "queued"
    RUNNING = "running"

    def __str__(self) -> str:
        return str(self.value)
