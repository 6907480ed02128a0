# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AgentRef")


@_attrs_define
class AgentRef:
    """The agent that works on a run's tasks.

    Attributes:
        kind (str): `python`, `local`, `registry` or `remote`.
        name (str): Of a remote agent its connection's name.
        digest (str): Of a remote agent its connection's ID.
        version (None | str): Of a remote agent what its card said when the quote was made.
        integrity (None | str): Of a registry agent: `pinned`, `package-registry` or `unverified-upstream`.
        command (None | str): Of a local agent.
        task_seconds (float):
        hosted (bool): Whether the server runs it.
    """

    kind: str
    name: str
    digest: str
    version: None | str
    integrity: None | str
    command: None | str
    task_seconds: float
    hosted: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        name = self.name

        digest = self.digest

        version: None | str
        version = self.version

        integrity: None | str
        integrity = self.integrity

        command: None | str
        command = self.command

        task_seconds = self.task_seconds

        hosted = self.hosted

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "kind": kind,
                "name": name,
                "digest": digest,
                "version": version,
                "integrity": integrity,
                "command": command,
                "task_seconds": task_seconds,
                "hosted": hosted,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = d.pop("kind")

        name = d.pop("name")

        digest = d.pop("digest")

        def _parse_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        version = _parse_version(d.pop("version"))

        def _parse_integrity(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        integrity = _parse_integrity(d.pop("integrity"))

        def _parse_command(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        command = _parse_command(d.pop("command"))

        task_seconds = d.pop("task_seconds")

        hosted = d.pop("hosted")

        agent_ref = cls(
            kind=kind,
            name=name,
            digest=digest,
            version=version,
            integrity=integrity,
            command=command,
            task_seconds=task_seconds,
            hosted=hosted,
        )

        agent_ref.additional_properties = d
        return agent_ref

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
