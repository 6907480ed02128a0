# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.json_object import JsonObject


T = TypeVar("T", bound="Lease")


@_attrs_define
class Lease:
    """The right to work on a task for a while. It holds everything but what is right.

    Attributes:
        id (str):
        run_id (str):
        task_id (str):
        index (int): Place in the plan, from 0.
        repeat (int): From 0.
        inputs (JsonObject):
        gateway_key (str): A key that can only call the run's model for this task, until the lease ends.
        gateway_base_url (str): The root that an OpenAI client takes as its base URL.
        model (str): The model name that the key may ask for.
        task_seconds (float): The most time for the task.
        expires_at (datetime.datetime):
    """

    id: str
    run_id: str
    task_id: str
    index: int
    repeat: int
    inputs: JsonObject
    gateway_key: str
    gateway_base_url: str
    model: str
    task_seconds: float
    expires_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        run_id = self.run_id

        task_id = self.task_id

        index = self.index

        repeat = self.repeat

        inputs = self.inputs.to_dict()

        gateway_key = self.gateway_key

        gateway_base_url = self.gateway_base_url

        model = self.model

        task_seconds = self.task_seconds

        expires_at = self.expires_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "run_id": run_id,
                "task_id": task_id,
                "index": index,
                "repeat": repeat,
                "inputs": inputs,
                "gateway_key": gateway_key,
                "gateway_base_url": gateway_base_url,
                "model": model,
                "task_seconds": task_seconds,
                "expires_at": expires_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        run_id = d.pop("run_id")

        task_id = d.pop("task_id")

        index = d.pop("index")

        repeat = d.pop("repeat")

        inputs = JsonObject.from_dict(d.pop("inputs"))

        gateway_key = d.pop("gateway_key")

        gateway_base_url = d.pop("gateway_base_url")

        model = d.pop("model")

        task_seconds = d.pop("task_seconds")

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        lease = cls(
            id=id,
            run_id=run_id,
            task_id=task_id,
            index=index,
            repeat=repeat,
            inputs=inputs,
            gateway_key=gateway_key,
            gateway_base_url=gateway_base_url,
            model=model,
            task_seconds=task_seconds,
            expires_at=expires_at,
        )

        lease.additional_properties = d
        return lease

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
