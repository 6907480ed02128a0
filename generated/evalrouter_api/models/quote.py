# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.json_object import JsonObject
    from ..models.plan import Plan


T = TypeVar("T", bound="Quote")


@_attrs_define
class Quote:
    """
    Attributes:
        id (str):
        created_at (datetime.datetime):
        expires_at (datetime.datetime):
        plan (Plan): Exactly what would be run, frozen.
        maximum_charge_microusd (int): Micro-USD; 1,000,000 is one dollar.
        max_cost_microusd (int | None):
        within_max_cost (bool):
        shortfall_microusd (int): Micro-USD; 1,000,000 is one dollar.
        largest_sample_count (int | None): The largest sample with the same seed that fits `max_cost_microusd`; null
            where all fits.
        name (None | str):
        metadata (JsonObject):
        run_id (None | str): The run that this quote started.
    """

    id: str
    created_at: datetime.datetime
    expires_at: datetime.datetime
    plan: Plan
    maximum_charge_microusd: int
    max_cost_microusd: int | None
    within_max_cost: bool
    shortfall_microusd: int
    largest_sample_count: int | None
    name: None | str
    metadata: JsonObject
    run_id: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        created_at = self.created_at.isoformat()

        expires_at = self.expires_at.isoformat()

        plan = self.plan.to_dict()

        maximum_charge_microusd = self.maximum_charge_microusd

        max_cost_microusd: int | None
        max_cost_microusd = self.max_cost_microusd

        within_max_cost = self.within_max_cost

        shortfall_microusd = self.shortfall_microusd

        largest_sample_count: int | None
        largest_sample_count = self.largest_sample_count

        name: None | str
        name = self.name

        metadata = self.metadata.to_dict()

        run_id: None | str
        run_id = self.run_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "created_at": created_at,
                "expires_at": expires_at,
                "plan": plan,
                "maximum_charge_microusd": maximum_charge_microusd,
                "max_cost_microusd": max_cost_microusd,
                "within_max_cost": within_max_cost,
                "shortfall_microusd": shortfall_microusd,
                "largest_sample_count": largest_sample_count,
                "name": name,
                "metadata": metadata,
                "run_id": run_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415
        from ..models.plan import Plan  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        plan = Plan.from_dict(d.pop("plan"))

        maximum_charge_microusd = d.pop("maximum_charge_microusd")

        def _parse_max_cost_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        max_cost_microusd = _parse_max_cost_microusd(d.pop("max_cost_microusd"))

        within_max_cost = d.pop("within_max_cost")

        shortfall_microusd = d.pop("shortfall_microusd")

        def _parse_largest_sample_count(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        largest_sample_count = _parse_largest_sample_count(d.pop("largest_sample_count"))

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        metadata = JsonObject.from_dict(d.pop("metadata"))

        def _parse_run_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        run_id = _parse_run_id(d.pop("run_id"))

        quote = cls(
            id=id,
            created_at=created_at,
            expires_at=expires_at,
            plan=plan,
            maximum_charge_microusd=maximum_charge_microusd,
            max_cost_microusd=max_cost_microusd,
            within_max_cost=within_max_cost,
            shortfall_microusd=shortfall_microusd,
            largest_sample_count=largest_sample_count,
            name=name,
            metadata=metadata,
            run_id=run_id,
        )

        quote.additional_properties = d
        return quote

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
