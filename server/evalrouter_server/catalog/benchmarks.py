"""The benchmarks that this package ships: its reviewed manifests, and look-ups by ID and by name."""

from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

import yaml

from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.manifest import Manifest

type Benchmark = Manifest | HarnessManifest

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Benchmarks:
    """Manifests, checked for being consistent with each other.

    Args:
        manifests: The versions of all benchmarks.
        adopted_in: The folder with manifests of other harnesses' tasks that were taken up; it may gain some meanwhile.

    Raises:
        ValueError: Two manifests are the same version, or a slug has not exactly one default version.
    """

    def __init__(self, manifests: Iterable[Benchmark], adopted_in: Path | None = None) -> None:
        self._adopted_in = adopted_in
        self._shipped = tuple(manifests)
        self._set((*self._shipped, *_adopted(adopted_in)))

    def _set(self, manifests: Iterable[Benchmark]) -> None:
        self._manifests = sorted(manifests, key=lambda manifest: (manifest.slug, version_order(manifest.version)))
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
    def shipped(cls, adopted_in: Path | None = None) -> Self:
        """The benchmarks of this package.

        Args:
            adopted_in: See the class.
        """
        return cls((*_shipped(), *_harness_tasks()), adopted_in)

    def all(self) -> list[Benchmark]:
        """Every version, by slug and version."""
        return list(self._manifests)

    def native(self) -> list[Manifest]:
        """The versions whose items the built-in runner works on."""
        return [manifest for manifest in self._manifests if isinstance(manifest, Manifest)]

    def get(self, benchmark_id: str) -> Benchmark | None:
        """The version with this ID; None where there is none."""
        if benchmark_id not in self._by_id:
            self._look_again()
        return self._by_id.get(benchmark_id)

    def match(self, text: str) -> list[Benchmark]:
        """The versions that a text names: by exact ID, else slug, else slug in any case, else name in any case.

        A bare slug or name means the default version; `slug@version` pins one. It is never taken as a prefix or as a
        likeness. Several are returned only where several benchmarks have the same name.

        Args:
            text: An ID, `slug`, `slug@version` or a display name.
        """
        if "/" in text:
            self._look_again()
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

    def _look_again(self) -> None:
        """See what was taken up since."""
        found = _adopted(self._adopted_in)
        if any(manifest.id not in self._by_id for manifest in found):
            self._set((*self._shipped, *found))


def _adopted(folder: Path | None) -> list[HarnessManifest]:
    """The manifests of the tasks that were taken up, but for those that this package now lists itself."""
    if folder is None or not folder.is_dir():
        return []
    listed = {manifest.id for manifest in _harness_tasks()}
    found = [HarnessManifest.model_validate(document) for document in _documents(folder).values()]
    newest = {
        manifest.slug: manifest for manifest in sorted(found, key=lambda manifest: version_order(manifest.version))
    }
    slugs = {manifest.slug for manifest in _harness_tasks()}
    return [
        manifest.model_copy(update={"default": manifest is newest[manifest.slug] and manifest.slug not in slugs})
        for manifest in found
        if manifest.id not in listed
    ]


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


@cache
def _harness_tasks() -> tuple[HarnessManifest, ...]:
    """The tasks of other harnesses that this package lists."""
    folder = resources.files("evalrouter_server.catalog") / "harness_tasks"
    return tuple(HarnessManifest.model_validate(document) for document in _documents(folder).values())


def version_order(version: str) -> list[tuple[int, str]]:
    """What orders versions: their parts, numbers by value."""
    return [(int(part) if part.isdigit() else -1, part) for part in version.split(".")]


def _documents(folder: Traversable | Path) -> dict[str, dict[str, Any]]:
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return {file.name.removesuffix(".yaml"): yaml.load(file.read_text("utf-8"), _Loader) for file in files}  # noqa: S506
