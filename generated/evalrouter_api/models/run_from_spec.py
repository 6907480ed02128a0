# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.run_spec import RunSpec


T = TypeVar("T", bound="RunFromSpec")


@_attrs_define
class RunFromSpec:
    """
    Attributes:
        source (Literal['spec']):
        spec (RunSpec): What to evaluate, on what, and for how much at most. `model_id` is required, but for a remote
            agent, which brings its own model and takes none.
    """

    source: Literal["spec"]
    spec: RunSpec

    def to_dict(self) -> dict[str, Any]:
        source = self.source

        spec = self.spec.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "source": source,
                "spec": spec,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_spec import RunSpec  # noqa: PLC0415

        d = dict(src_dict)
        source = cast(Literal["spec"], d.pop("source"))
        if source != "spec":
            raise ValueError(f"source must match const 'spec', got '{source}'")

        spec = RunSpec.from_dict(d.pop("spec"))

        run_from_spec = cls(
            source=source,
            spec=spec,
        )

        return run_from_spec
