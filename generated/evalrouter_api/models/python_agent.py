# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="PythonAgent")


@_attrs_define
class PythonAgent:
    """An agent that is written in Python.

    Attributes:
        kind (Literal['python']):
        name (str):
        digest (str): Names exactly what runs; part of what makes two runs the same.
        version (str | Unset):
        model_aliases (list[str] | Unset): Names that the agent's calls may give the model beside the model's own.
        task_seconds (float | Unset): The most time for a task, in seconds; not part of what makes two runs the same.
    """

    kind: Literal["python"]
    name: str
    digest: str
    version: str | Unset = UNSET
    model_aliases: list[str] | Unset = UNSET
    task_seconds: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        name = self.name

        digest = self.digest

        version = self.version

        model_aliases: list[str] | Unset = UNSET
        if not isinstance(self.model_aliases, Unset):
            model_aliases = self.model_aliases

        task_seconds = self.task_seconds

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "name": name,
                "digest": digest,
            }
        )
        if version is not UNSET:
            field_dict["version"] = version
        if model_aliases is not UNSET:
            field_dict["model_aliases"] = model_aliases
        if task_seconds is not UNSET:
            field_dict["task_seconds"] = task_seconds

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["python"], d.pop("kind"))
        if kind != "python":
            raise ValueError(f"kind must match const 'python', got '{kind}'")

        name = d.pop("name")

        digest = d.pop("digest")

        version = d.pop("version", UNSET)

        model_aliases = cast(list[str], d.pop("model_aliases", UNSET))

        task_seconds = d.pop("task_seconds", UNSET)

        python_agent = cls(
            kind=kind,
            name=name,
            digest=digest,
            version=version,
            model_aliases=model_aliases,
            task_seconds=task_seconds,
        )

        return python_agent
