# Generated from openapi.yaml by scripts/regen; do not edit.

from enum import StrEnum


class IntegrityValue(StrEnum):
    PACKAGE_REGISTRY = "package-registry"
    PINNED = "pinned"
    UNVERIFIED_UPSTREAM = "unverified-upstream"

    def __str__(self) -> str:
        return str(self.value)
