# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.benchmark_source import BenchmarkSource
    from ..models.json_object import JsonObject
    from ..models.protocol import Protocol


T = TypeVar("T", bound="Benchmark")


@_attrs_define
class Benchmark:
    """
    Attributes:
        id (str):
        slug (str):
        version (str):
        is_own (bool): Whether it is the workspace's own, and no other workspace sees it.
        attempts (int): How often each item is tried where a run does not say.
        is_default (bool): Whether the bare slug means this version.
        name (str):
        description (str):
        licence (str): The data's licence, as an SPDX identifier where there is one.
        citation (str):
        homepage (None | str):
        task_count (int):
        content_digest (str): sha256 over the normalised rows; every source must produce it.
        groups (list[str]):
        grader (str): The grader's kind: `numeric`, `short_answer`, ...
        protocol (Protocol): How a row becomes a prompt.
        grader_settings (JsonObject):
        task_seconds (float): Seconds for a task, its retries included.
        max_output_tokens (int):
        sources (list[BenchmarkSource]):
        primary_metric (str):
    """

    id: str
    slug: str
    version: str
    is_own: bool
    attempts: int
    is_default: bool
    name: str
    description: str
    licence: str
    citation: str
    homepage: None | str
    task_count: int
    content_digest: str
    groups: list[str]
    grader: str
    protocol: Protocol
    grader_settings: JsonObject
    task_seconds: float
    max_output_tokens: int
    sources: list[BenchmarkSource]
    primary_metric: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        slug = self.slug

        version = self.version

        is_own = self.is_own

        attempts = self.attempts

        is_default = self.is_default

        name = self.name

        description = self.description

        licence = self.licence

        citation = self.citation

        homepage: None | str
        homepage = self.homepage

        task_count = self.task_count

        content_digest = self.content_digest

        groups = self.groups

        grader = self.grader

        protocol = self.protocol.to_dict()

        grader_settings = self.grader_settings.to_dict()

        task_seconds = self.task_seconds

        max_output_tokens = self.max_output_tokens

        sources = []
        for sources_item_data in self.sources:
            sources_item = sources_item_data.to_dict()
            sources.append(sources_item)

        primary_metric = self.primary_metric

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "id": id,
                "slug": slug,
                "version": version,
                "is_own": is_own,
                "attempts": attempts,
                "is_default": is_default,
                "name": name,
                "description": description,
                "licence": licence,
                "citation": citation,
                "homepage": homepage,
                "task_count": task_count,
                "content_digest": content_digest,
                "groups": groups,
                "grader": grader,
                "protocol": protocol,
                "grader_settings": grader_settings,
                "task_seconds": task_seconds,
                "max_output_tokens": max_output_tokens,
                "sources": sources,
                "primary_metric": primary_metric,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.benchmark_source import BenchmarkSource  # noqa: PLC0415
        from ..models.json_object import JsonObject  # noqa: PLC0415
        from ..models.protocol import Protocol  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        slug = d.pop("slug")

        version = d.pop("version")

        is_own = d.pop("is_own")

        attempts = d.pop("attempts")

        is_default = d.pop("is_default")

        name = d.pop("name")

        description = d.pop("description")

        licence = d.pop("licence")

        citation = d.pop("citation")

        def _parse_homepage(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        homepage = _parse_homepage(d.pop("homepage"))

        task_count = d.pop("task_count")

        content_digest = d.pop("content_digest")

        groups = cast(list[str], d.pop("groups"))

        grader = d.pop("grader")

        protocol = Protocol.from_dict(d.pop("protocol"))

        grader_settings = JsonObject.from_dict(d.pop("grader_settings"))

        task_seconds = d.pop("task_seconds")

        max_output_tokens = d.pop("max_output_tokens")

        sources = []
        _sources = d.pop("sources")
        for sources_item_data in _sources:
            sources_item = BenchmarkSource.from_dict(sources_item_data)

            sources.append(sources_item)

        primary_metric = d.pop("primary_metric")

        benchmark = cls(
            id=id,
            slug=slug,
            version=version,
            is_own=is_own,
            attempts=attempts,
            is_default=is_default,
            name=name,
            description=description,
            licence=licence,
            citation=citation,
            homepage=homepage,
            task_count=task_count,
            content_digest=content_digest,
            groups=groups,
            grader=grader,
            protocol=protocol,
            grader_settings=grader_settings,
            task_seconds=task_seconds,
            max_output_tokens=max_output_tokens,
            sources=sources,
            primary_metric=primary_metric,
        )

        benchmark.additional_properties = d
        return benchmark

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
