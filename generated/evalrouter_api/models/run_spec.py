# Generated from openapi.yaml by scripts/regen; do not edit.

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.full_coverage import FullCoverage
    from ..models.local_agent import LocalAgent
    from ..models.metadata import Metadata
    from ..models.python_agent import PythonAgent
    from ..models.registry_agent import RegistryAgent
    from ..models.remote_agent import RemoteAgent
    from ..models.sample_coverage import SampleCoverage


T = TypeVar("T", bound="RunSpec")


@_attrs_define
class RunSpec:
    """What to evaluate, on what, and for how much at most. `model_id` is required, but for a remote agent, which brings
    its own model and takes none.

        Attributes:
            benchmark_id (str):
            model_id (str | Unset):
            max_cost_microusd (int | Unset): The most that the run may charge. Without it the run is bounded by the quote's
                maximum, the wallet and the key's ceiling.
            coverage (FullCoverage | SampleCoverage | Unset):
            concurrency (int | Unset): Calls at once. The server chooses without it.
            repeats (int | Unset): How often each item is tried. Default: 1.
            name (str | Unset):
            metadata (Metadata | Unset): Labels of your own.
            dedupe_key (str | Unset): Names the run that is meant: a later create with the same key, or from a quote with
                the same key, gets the same run, whatever became of it. Without it
                the key is a digest of the spec.
            agent (LocalAgent | PythonAgent | RegistryAgent | RemoteAgent | Unset): Who works on the tasks: an agent, by way
                of a delivery key, or a remote one that the server calls. Without it the server asks the model itself.
    """

    benchmark_id: str
    model_id: str | Unset = UNSET
    max_cost_microusd: int | Unset = UNSET
    coverage: FullCoverage | SampleCoverage | Unset = UNSET
    concurrency: int | Unset = UNSET
    repeats: int | Unset = 1
    name: str | Unset = UNSET
    metadata: Metadata | Unset = UNSET
    dedupe_key: str | Unset = UNSET
    agent: LocalAgent | PythonAgent | RegistryAgent | RemoteAgent | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.full_coverage import FullCoverage  # noqa: PLC0415
        from ..models.local_agent import LocalAgent  # noqa: PLC0415
        from ..models.python_agent import PythonAgent  # noqa: PLC0415
        from ..models.registry_agent import RegistryAgent  # noqa: PLC0415

        benchmark_id = self.benchmark_id

        model_id = self.model_id

        max_cost_microusd = self.max_cost_microusd

        coverage: dict[str, Any] | Unset
        if isinstance(self.coverage, Unset):
            coverage = UNSET
        elif isinstance(self.coverage, FullCoverage):
            coverage = self.coverage.to_dict()
        else:
            coverage = self.coverage.to_dict()

        concurrency = self.concurrency

        repeats = self.repeats

        name = self.name

        metadata: dict[str, Any] | Unset = UNSET
        if not isinstance(self.metadata, Unset):
            metadata = self.metadata.to_dict()

        dedupe_key = self.dedupe_key

        agent: dict[str, Any] | Unset
        if isinstance(self.agent, Unset):
            agent = UNSET
        elif isinstance(self.agent, PythonAgent):
            agent = self.agent.to_dict()
        elif isinstance(self.agent, LocalAgent):
            agent = self.agent.to_dict()
        elif isinstance(self.agent, RegistryAgent):
            agent = self.agent.to_dict()
        else:
            agent = self.agent.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "benchmark_id": benchmark_id,
            }
        )
        if model_id is not UNSET:
            field_dict["model_id"] = model_id
        if max_cost_microusd is not UNSET:
            field_dict["max_cost_microusd"] = max_cost_microusd
        if coverage is not UNSET:
            field_dict["coverage"] = coverage
        if concurrency is not UNSET:
            field_dict["concurrency"] = concurrency
        if repeats is not UNSET:
            field_dict["repeats"] = repeats
        if name is not UNSET:
            field_dict["name"] = name
        if metadata is not UNSET:
            field_dict["metadata"] = metadata
        if dedupe_key is not UNSET:
            field_dict["dedupe_key"] = dedupe_key
        if agent is not UNSET:
            field_dict["agent"] = agent

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.full_coverage import FullCoverage  # noqa: PLC0415
        from ..models.local_agent import LocalAgent  # noqa: PLC0415
        from ..models.metadata import Metadata  # noqa: PLC0415
        from ..models.python_agent import PythonAgent  # noqa: PLC0415
        from ..models.registry_agent import RegistryAgent  # noqa: PLC0415
        from ..models.remote_agent import RemoteAgent  # noqa: PLC0415
        from ..models.sample_coverage import SampleCoverage  # noqa: PLC0415

        d = dict(src_dict)
        benchmark_id = d.pop("benchmark_id")

        model_id = d.pop("model_id", UNSET)

        max_cost_microusd = d.pop("max_cost_microusd", UNSET)

        def _parse_coverage(data: object) -> FullCoverage | SampleCoverage | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                coverage_type_0 = FullCoverage.from_dict(data)

                return coverage_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            coverage_type_1 = SampleCoverage.from_dict(data)

            return coverage_type_1

        coverage = _parse_coverage(d.pop("coverage", UNSET))

        concurrency = d.pop("concurrency", UNSET)

        repeats = d.pop("repeats", UNSET)

        name = d.pop("name", UNSET)

        _metadata = d.pop("metadata", UNSET)
        metadata: Metadata | Unset
        if isinstance(_metadata, Unset):
            metadata = UNSET
        else:
            metadata = Metadata.from_dict(_metadata)

        dedupe_key = d.pop("dedupe_key", UNSET)

        def _parse_agent(data: object) -> LocalAgent | PythonAgent | RegistryAgent | RemoteAgent | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                agent_type_0 = PythonAgent.from_dict(data)

                return agent_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                agent_type_1 = LocalAgent.from_dict(data)

                return agent_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                agent_type_2 = RegistryAgent.from_dict(data)

                return agent_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            agent_type_3 = RemoteAgent.from_dict(data)

            return agent_type_3

        agent = _parse_agent(d.pop("agent", UNSET))

        run_spec = cls(
            benchmark_id=benchmark_id,
            model_id=model_id,
            max_cost_microusd=max_cost_microusd,
            coverage=coverage,
            concurrency=concurrency,
            repeats=repeats,
            name=name,
            metadata=metadata,
            dedupe_key=dedupe_key,
            agent=agent,
        )

        return run_spec
