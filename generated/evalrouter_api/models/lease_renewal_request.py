# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="LeaseRenewalRequest")


@_attrs_define
class LeaseRenewalRequest:
    """
    Attributes:
        lease_ids (list[str]):
    """

    lease_ids: list[str]

    def to_dict(self) -> dict[str, Any]:
        lease_ids = self.lease_ids

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "lease_ids": lease_ids,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        lease_ids = cast(list[str], d.pop("lease_ids"))

        lease_renewal_request = cls(
            lease_ids=lease_ids,
        )

        return lease_renewal_request
