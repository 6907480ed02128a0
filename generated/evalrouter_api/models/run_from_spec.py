# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.run_spec import RunSpec


T = TypeVar("T", bound="RunFromSpec")


@_attrs_define
class RunFromSpec:
    """
    Attributes:
        source (Literal['spec']):
        spec (RunSpec): What to evaluate, on what, and for how much at most.
        dedupe_key (str | Unset): Names the run that is meant: a later create with the same key gets the same run,
            whatever became of it. Without it the key is a digest of the spec.
    """

    source: Literal["spec"]
    spec: RunSpec
    dedupe_key: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        source = self.source

        spec = self.spec.to_dict()

        dedupe_key = self.dedupe_key

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "source": source,
                "spec": spec,
            }
        )
        if dedupe_key is not UNSET:
            field_dict["dedupe_key"] = dedupe_key

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_spec import RunSpec  # noqa: PLC0415

        d = dict(src_dict)
        source = cast(Literal["spec"], d.pop("source"))
        if source != "spec":
            raise ValueError(f"source must match const 'spec', got '{source}'")

        spec = RunSpec.from_dict(d.pop("spec"))

        dedupe_key = d.pop("dedupe_key", UNSET)

        run_from_spec = cls(
            source=source,
            spec=spec,
            dedupe_key=dedupe_key,
        )

        return run_from_spec
