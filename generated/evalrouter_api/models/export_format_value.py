# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class ExportFormatValue(StrEnum):
    CSV = "csv"
    HTML = "html"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"

    def __str__(self) -> str:
        return str(self.value)
