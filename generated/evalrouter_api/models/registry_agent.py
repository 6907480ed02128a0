# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..models.integrity_value import IntegrityValue
from ..types import UNSET, Unset

T = TypeVar("T", bound="RegistryAgent")


@_attrs_define
class RegistryAgent:
    """An agent of the registry, started on the client's machine, or by the server where it is hosted.

    Attributes:
        kind (Literal['registry']):
        name (str):
        digest (str): Names exactly what runs; part of what makes two runs the same.
        version (str):
        integrity (IntegrityValue):
        model_aliases (list[str] | Unset): Names that the agent's calls may give the model beside the model's own.
        task_seconds (float | Unset): The most time for a task, in seconds; not part of what makes two runs the same.
        hosted (bool | Unset): Whether the server runs it, in a sandbox. Default: False.
    """

    kind: Literal["registry"]
    name: str
    digest: str
    version: str
    integrity: IntegrityValue
    model_aliases: list[str] | Unset = UNSET
    task_seconds: float | Unset = UNSET
    hosted: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        name = self.name

        digest = self.digest

        version = self.version

        integrity = self.integrity.value

        model_aliases: list[str] | Unset = UNSET
        if not isinstance(self.model_aliases, Unset):
            model_aliases = self.model_aliases

        task_seconds = self.task_seconds

        hosted = self.hosted

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "name": name,
                "digest": digest,
                "version": version,
                "integrity": integrity,
            }
        )
        if model_aliases is not UNSET:
            field_dict["model_aliases"] = model_aliases
        if task_seconds is not UNSET:
            field_dict["task_seconds"] = task_seconds
        if hosted is not UNSET:
            field_dict["hosted"] = hosted

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["registry"], d.pop("kind"))
        if kind != "registry":
            raise ValueError(f"kind must match const 'registry', got '{kind}'")

        name = d.pop("name")

        digest = d.pop("digest")

        version = d.pop("version")

        integrity = IntegrityValue(d.pop("integrity"))

        model_aliases = cast(list[str], d.pop("model_aliases", UNSET))

        task_seconds = d.pop("task_seconds", UNSET)

        hosted = d.pop("hosted", UNSET)

        registry_agent = cls(
            kind=kind,
            name=name,
            digest=digest,
            version=version,
            integrity=integrity,
            model_aliases=model_aliases,
            task_seconds=task_seconds,
            hosted=hosted,
        )

        return registry_agent
