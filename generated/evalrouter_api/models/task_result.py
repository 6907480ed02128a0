# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.json_object import JsonObject
    from ..models.task_error import TaskError
    from ..models.usage import Usage


T = TypeVar("T", bound="TaskResult")


@_attrs_define
class TaskResult:
    """
    Attributes:
        task_id (str):
        item_id (str):
        index (int): Place in the plan, from 0.
        repeat (int): From 0.
        group (None | str):
        status (str): `graded` or `failed`.
        inputs (JsonObject):
        output (None | str):
        target (JsonObject):
        score (float | None):
        correct (bool | None):
        extracted (None | str): The answer that the grader found in the output.
        rule (None | str): The rule that found it.
        details (JsonObject | None): What the grader notes beside its verdict, such as the last words of a program that
            failed.
        finish_reason (None | str):
        usage (Usage): Disjoint token buckets. Reasoning tokens are part of output.
        charge_microusd (int): Micro-USD; 1,000,000 is one dollar.
        latency_seconds (float | None):
        model_served (None | str):
        error (None | TaskError):
        ended_at (datetime.datetime):
    """

    task_id: str
    item_id: str
    index: int
    repeat: int
    group: None | str
    status: str
    inputs: JsonObject
    output: None | str
    target: JsonObject
    score: float | None
    correct: bool | None
    extracted: None | str
    rule: None | str
    details: JsonObject | None
    finish_reason: None | str
    usage: Usage
    charge_microusd: int
    latency_seconds: float | None
    model_served: None | str
    error: None | TaskError
    ended_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.json_object import JsonObject  # noqa: PLC0415
        from ..models.task_error import TaskError  # noqa: PLC0415

        task_id = self.task_id

        item_id = self.item_id

        index = self.index

        repeat = self.repeat

        group: None | str
        group = self.group

        status = self.status

        inputs = self.inputs.to_dict()

        output: None | str
        output = self.output

        target = self.target.to_dict()

        score: float | None
        score = self.score

        correct: bool | None
        correct = self.correct

        extracted: None | str
        extracted = self.extracted

        rule: None | str
        rule = self.rule

        details: dict[str, Any] | None
        if isinstance(self.details, JsonObject):
            details = self.details.to_dict()
        else:
            details = self.details

        finish_reason: None | str
        finish_reason = self.finish_reason

        usage = self.usage.to_dict()

        charge_microusd = self.charge_microusd

        latency_seconds: float | None
        latency_seconds = self.latency_seconds

        model_served: None | str
        model_served = self.model_served

        error: dict[str, Any] | None
        if isinstance(self.error, TaskError):
            error = self.error.to_dict()
        else:
            error = self.error

        ended_at = self.ended_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "task_id": task_id,
                "item_id": item_id,
                "index": index,
                "repeat": repeat,
                "group": group,
                "status": status,
                "inputs": inputs,
                "output": output,
                "target": target,
                "score": score,
                "correct": correct,
                "extracted": extracted,
                "rule": rule,
                "details": details,
                "finish_reason": finish_reason,
                "usage": usage,
                "charge_microusd": charge_microusd,
                "latency_seconds": latency_seconds,
                "model_served": model_served,
                "error": error,
                "ended_at": ended_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.json_object import JsonObject  # noqa: PLC0415
        from ..models.task_error import TaskError  # noqa: PLC0415
        from ..models.usage import Usage  # noqa: PLC0415

        d = dict(src_dict)
        task_id = d.pop("task_id")

        item_id = d.pop("item_id")

        index = d.pop("index")

        repeat = d.pop("repeat")

        def _parse_group(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        group = _parse_group(d.pop("group"))

        status = d.pop("status")

        inputs = JsonObject.from_dict(d.pop("inputs"))

        def _parse_output(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        output = _parse_output(d.pop("output"))

        target = JsonObject.from_dict(d.pop("target"))

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))

        def _parse_correct(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        correct = _parse_correct(d.pop("correct"))

        def _parse_extracted(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        extracted = _parse_extracted(d.pop("extracted"))

        def _parse_rule(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rule = _parse_rule(d.pop("rule"))

        def _parse_details(data: object) -> JsonObject | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                details_type_0 = JsonObject.from_dict(data)

                return details_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(JsonObject | None, data)

        details = _parse_details(d.pop("details"))

        def _parse_finish_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        finish_reason = _parse_finish_reason(d.pop("finish_reason"))

        usage = Usage.from_dict(d.pop("usage"))

        charge_microusd = d.pop("charge_microusd")

        def _parse_latency_seconds(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        latency_seconds = _parse_latency_seconds(d.pop("latency_seconds"))

        def _parse_model_served(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        model_served = _parse_model_served(d.pop("model_served"))

        def _parse_error(data: object) -> None | TaskError:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                error_type_0 = TaskError.from_dict(data)

                return error_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TaskError, data)

        error = _parse_error(d.pop("error"))

        ended_at = datetime.datetime.fromisoformat(d.pop("ended_at"))

        task_result = cls(
            task_id=task_id,
            item_id=item_id,
            index=index,
            repeat=repeat,
            group=group,
            status=status,
            inputs=inputs,
            output=output,
            target=target,
            score=score,
            correct=correct,
            extracted=extracted,
            rule=rule,
            details=details,
            finish_reason=finish_reason,
            usage=usage,
            charge_microusd=charge_microusd,
            latency_seconds=latency_seconds,
            model_served=model_served,
            error=error,
            ended_at=ended_at,
        )

        task_result.additional_properties = d
        return task_result

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
