# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class ExportFormatValue(StrEnum):
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"

    def __str__(self) -> str:
        return str(self.value)
