"""The benchmarks that this package ships: its reviewed manifests, and look-ups by ID and by name."""

from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Self

import yaml

from evalrouter_server.catalog.manifest import Manifest

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Benchmarks:
    """Manifests, checked for being consistent with each other.

    Args:
        manifests: The versions of all benchmarks.

    Raises:
        ValueError: Two manifests are the same version, or a slug has not exactly one default version.
    """

    def __init__(self, manifests: Iterable[Manifest]) -> None:
        self._manifests = sorted(manifests, key=lambda manifest: (manifest.slug, int(manifest.version)))
        self._by_id = {manifest.id: manifest for manifest in self._manifests}
        if len(self._by_id) != len(self._manifests):
            raise ValueError("two manifests have the same slug and version")
        for slug in {manifest.slug for manifest in self._manifests}:
            defaults = [
                manifest.reference for manifest in self._manifests if manifest.slug == slug and manifest.default
            ]
            if len(defaults) != 1:
                raise ValueError(f"{slug} must have one default version, not {defaults}")

    @classmethod
    def shipped(cls) -> Self:
        """The benchmarks of this package."""
        return cls(_shipped())

    def all(self) -> list[Manifest]:
        """Every version, by slug and version."""
        return list(self._manifests)

    def get(self, benchmark_id: str) -> Manifest | None:
        """The version with this ID; None where there is none."""
        return self._by_id.get(benchmark_id)

    def match(self, text: str) -> list[Manifest]:
        """The versions that a text names: by exact ID, else slug, else slug in any case, else name in any case.

        A bare slug or name means the default version; `slug@version` pins one. It is never taken as a prefix or as a
        likeness. Several are returned only where several benchmarks have the same name.

        Args:
            text: An ID, `slug`, `slug@version` or a display name.
        """
        if text in self._by_id:
            return [self._by_id[text]]
        name, _, version = text.partition("@")
        candidates = [
            manifest
            for manifest in self._manifests
            if (manifest.version == version if version else manifest.default and "@" not in text)
        ]
        folded = name.casefold()
        return (
            [manifest for manifest in candidates if manifest.slug == name]
            or [manifest for manifest in candidates if manifest.slug.casefold() == folded]
            or [manifest for manifest in candidates if manifest.name.casefold() == folded]
        )


@cache
def _shipped() -> tuple[Manifest, ...]:
    """The manifests of this package; where one says `dataset: NAME`, its data is described in `datasets/NAME.yaml`."""
    folder = resources.files("evalrouter_server.catalog")
    datasets = _documents(folder / "datasets")
    manifests = []
    for document in _documents(folder / "manifests").values():
        dataset = datasets[document.pop("dataset")] if "dataset" in document else {}
        manifests.append(Manifest.model_validate({**dataset, **document}))
    return tuple(manifests)


def _documents(folder: Traversable) -> dict[str, dict[str, Any]]:
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return {file.name.removesuffix(".yaml"): yaml.load(file.read_text("utf-8"), _Loader) for file in files}  # noqa: S506
