# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.call_try import CallTry
    from ..models.usage import Usage


T = TypeVar("T", bound="Call")


@_attrs_define
class Call:
    """
    Attributes:
        id (str):
        task_id (None | str): Null where the call cannot be attributed to a task.
        purpose (str): `task` for a call of the evaluated model, `judge` for one of the grader's judge.
        wire (str): `chat`, `responses` or `messages`.
        streamed (bool):
        model_requested (str):
        model_served (None | str):
        status (str): `open`, `settled`, `released` or `unknown`.
        usage (Usage): Disjoint token buckets. Reasoning tokens are part of output.
        usage_source (None | str): `reported`, `estimated` or `unknown`.
        charge_microusd (int): Micro-USD; 1,000,000 is one dollar.
        overage_microusd (int): Micro-USD; 1,000,000 is one dollar.
        provider_cost_microusd (int | None): What the provider itself says it cost.
        tries (list[CallTry]):
        started_at (datetime.datetime):
        ended_at (datetime.datetime | None):
    """

    id: str
    task_id: None | str
    purpose: str
    wire: str
    streamed: bool
    model_requested: str
    model_served: None | str
    status: str
    usage: Usage
    usage_source: None | str
    charge_microusd: int
    overage_microusd: int
    provider_cost_microusd: int | None
    tries: list[CallTry]
    started_at: datetime.datetime
    ended_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        task_id: None | str
        task_id = self.task_id

        purpose = self.purpose

        wire = self.wire

        streamed = self.streamed

        model_requested = self.model_requested

        model_served: None | str
        model_served = self.model_served

        status = self.status

        usage = self.usage.to_dict()

        usage_source: None | str
        usage_source = self.usage_source

        charge_microusd = self.charge_microusd

        overage_microusd = self.overage_microusd

        provider_cost_microusd: int | None
        provider_cost_microusd = self.provider_cost_microusd

        tries = []
        for tries_item_data in self.tries:
            tries_item = tries_item_data.to_dict()
            tries.append(tries_item)

        started_at = self.started_at.isoformat()

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "task_id": task_id,
                "purpose": purpose,
                "wire": wire,
                "streamed": streamed,
                "model_requested": model_requested,
                "model_served": model_served,
                "status": status,
                "usage": usage,
                "usage_source": usage_source,
                "charge_microusd": charge_microusd,
                "overage_microusd": overage_microusd,
                "provider_cost_microusd": provider_cost_microusd,
                "tries": tries,
                "started_at": started_at,
                "ended_at": ended_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.call_try import CallTry  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_task_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        task_id = _parse_task_id(d.pop("task_id"))

        purpose = d.pop("purpose")

        wire = d.pop("wire")

        streamed = d.pop("streamed")

        model_requested = d.pop("model_requested")

        def _parse_model_served(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        model_served = _parse_model_served(d.pop("model_served"))

        status = d.pop("status")

        usage = Usage.from_dict(d.pop("usage"))

        def _parse_usage_source(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        usage_source = _parse_usage_source(d.pop("usage_source"))

        charge_microusd = d.pop("charge_microusd")

        overage_microusd = d.pop("overage_microusd")

        def _parse_provider_cost_microusd(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        provider_cost_microusd = _parse_provider_cost_microusd(d.pop("provider_cost_microusd"))

        tries = []
        _tries = d.pop("tries")
        for tries_item_data in _tries:
            tries_item = CallTry.from_dict(tries_item_data)

            tries.append(tries_item)

        started_at = datetime.datetime.fromisoformat(d.pop("started_at"))

        def _parse_ended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = datetime.datetime.fromisoformat(data)

                return ended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ended_at = _parse_ended_at(d.pop("ended_at"))

        call = cls(
            id=id,
            task_id=task_id,
            purpose=purpose,
            wire=wire,
            streamed=streamed,
            model_requested=model_requested,
            model_served=model_served,
            status=status,
            usage=usage,
            usage_source=usage_source,
            charge_microusd=charge_microusd,
            overage_microusd=overage_microusd,
            provider_cost_microusd=provider_cost_microusd,
            tries=tries,
            started_at=started_at,
            ended_at=ended_at,
        )

        call.additional_properties = d
        return call

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
