# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.lease import Lease


T = TypeVar("T", bound="LeaseBatch")


@_attrs_define
class LeaseBatch:
    """
    Attributes:
        leases (list[Lease]):
        run_status (str):
        status_reason (None | str):
        unfinished (int): Tasks that are pending, leased or being graded.
    """

    leases: list[Lease]
    run_status: str
    status_reason: None | str
    unfinished: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        leases = []
        for leases_item_data in self.leases:
            leases_item = leases_item_data.to_dict()
            leases.append(leases_item)

        run_status = self.run_status

        status_reason: None | str
        status_reason = self.status_reason

        unfinished = self.unfinished

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "leases": leases,
                "run_status": run_status,
                "status_reason": status_reason,
                "unfinished": unfinished,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.lease import Lease  # noqa: PLC0415

        d = dict(src_dict)
        leases = []
        _leases = d.pop("leases")
        for leases_item_data in _leases:
            leases_item = Lease.from_dict(leases_item_data)

            leases.append(leases_item)

        run_status = d.pop("run_status")

        def _parse_status_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        status_reason = _parse_status_reason(d.pop("status_reason"))

        unfinished = d.pop("unfinished")

        lease_batch = cls(
            leases=leases,
            run_status=run_status,
            status_reason=status_reason,
            unfinished=unfinished,
        )

        lease_batch.additional_properties = d
        return lease_batch

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
