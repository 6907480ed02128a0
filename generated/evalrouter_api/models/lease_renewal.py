# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.lease_state import LeaseState


T = TypeVar("T", bound="LeaseRenewal")


@_attrs_define
class LeaseRenewal:
    """
    Attributes:
        expires_at (datetime.datetime): Of every lease that goes on.
        ended (list[LeaseState]): The leases that are over.
        run_status (str):
    """

    expires_at: datetime.datetime
    ended: list[LeaseState]
    run_status: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        expires_at = self.expires_at.isoformat()

        ended = []
        for ended_item_data in self.ended:
            ended_item = ended_item_data.to_dict()
            ended.append(ended_item)

        run_status = self.run_status

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "expires_at": expires_at,
                "ended": ended,
                "run_status": run_status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.lease_state import LeaseState  # noqa: PLC0415

        d = dict(src_dict)
        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        ended = []
        _ended = d.pop("ended")
        for ended_item_data in _ended:
            ended_item = LeaseState.from_dict(ended_item_data)

            ended.append(ended_item)

        run_status = d.pop("run_status")

        lease_renewal = cls(
            expires_at=expires_at,
            ended=ended,
            run_status=run_status,
        )

        lease_renewal.additional_properties = d
        return lease_renewal

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
