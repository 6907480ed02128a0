# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.benchmark_example import BenchmarkExample
    from ..models.row_problem import RowProblem


T = TypeVar("T", bound="BenchmarkCheck")


@_attrs_define
class BenchmarkCheck:
    """What reading every row found.

    Attributes:
        slug (str):
        version (str): The version that a create would make, or that is there with the same content.
        exists (bool): Whether this version is there already.
        item_count (int): Rows without an error.
        content_digest (str): sha256 over the normalised rows without an error.
        groups (list[str]):
        problem_count (int): All errors, those beyond the list included.
        problems (list[RowProblem]): The first errors.
        examples (list[BenchmarkExample]):
    """

    slug: str
    version: str
    exists: bool
    item_count: int
    content_digest: str
    groups: list[str]
    problem_count: int
    problems: list[RowProblem]
    examples: list[BenchmarkExample]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        slug = self.slug

        version = self.version

        exists = self.exists

        item_count = self.item_count

        content_digest = self.content_digest

        groups = self.groups

        problem_count = self.problem_count

        problems = []
        for problems_item_data in self.problems:
            problems_item = problems_item_data.to_dict()
            problems.append(problems_item)

        examples = []
        for examples_item_data in self.examples:
            examples_item = examples_item_data.to_dict()
            examples.append(examples_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "slug": slug,
                "version": version,
                "exists": exists,
                "item_count": item_count,
                "content_digest": content_digest,
                "groups": groups,
                "problem_count": problem_count,
                "problems": problems,
                "examples": examples,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.benchmark_example import BenchmarkExample  # noqa: PLC0415
        from ..models.row_problem import RowProblem  # noqa: PLC0415

        d = dict(src_dict)
        slug = d.pop("slug")

        version = d.pop("version")

        exists = d.pop("exists")

        item_count = d.pop("item_count")

        content_digest = d.pop("content_digest")

        groups = cast(list[str], d.pop("groups"))

        problem_count = d.pop("problem_count")

        problems = []
        _problems = d.pop("problems")
        for problems_item_data in _problems:
            problems_item = RowProblem.from_dict(problems_item_data)

            problems.append(problems_item)

        examples = []
        _examples = d.pop("examples")
        for examples_item_data in _examples:
            examples_item = BenchmarkExample.from_dict(examples_item_data)

            examples.append(examples_item)

        benchmark_check = cls(
            slug=slug,
            version=version,
            exists=exists,
            item_count=item_count,
            content_digest=content_digest,
            groups=groups,
            problem_count=problem_count,
            problems=problems,
            examples=examples,
        )

        benchmark_check.additional_properties = d
        return benchmark_check

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
