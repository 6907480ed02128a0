"""The data that a harness's task loads by its name on the hub, laid out from other sources.

The data set library that the harnesses use takes a folder of that name below the working folder for the data set, so a
task finds the rows there with nothing patched and no network.
"""

import json
import shutil
from pathlib import Path

from evalrouter_server.catalog.cache import FetchError, FileCache, Progress
from evalrouter_server.catalog.harness_manifest import HarnessManifest, SplitData
from evalrouter_server.catalog.sources import fetch_source, read_rows


def lay_out(manifest: HarnessManifest, folder: Path, cache: FileCache, progress: Progress) -> None:
    """Write the task's data sets below a folder, in which the harness is then run.

    Args:
        manifest: The benchmark.
        folder: The folder; what is in it is replaced.
        cache: Where fetched files are kept.
        progress: Told before a download starts.

    Raises:
        FetchError: None of a split's sources can be reached or has the rows.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for split in manifest.data:
        path = folder / split.repository / _path_of(split)
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_split(split, path, cache, progress)
    for repository in {split.repository for split in manifest.data}:
        splits = [split for split in manifest.data if split.repository == repository]
        (folder / repository / "README.md").write_text(_card(splits), "utf-8")


def _write_split(split: SplitData, path: Path, cache: FileCache, progress: Progress) -> None:
    failures = []
    for source in sorted(split.sources, key=lambda source: not all(cache.holds(file.sha256) for file in source.files)):
        try:
            with path.open("w", encoding="utf-8") as out:
                for file, fetched in zip(source.files, fetch_source(source, cache, progress), strict=True):
                    out.writelines(
                        json.dumps(row, ensure_ascii=False) + "\n" for row in read_rows(fetched, source, file)
                    )
        except (FetchError, ValueError, OSError) as error:
            failures.append(f"{source.location}: {error}")
        else:
            return
    raise FetchError(f"the {split.split} split of {split.repository} could not be had ({'; '.join(failures)})")


def _path_of(split: SplitData) -> str:
    return f"{split.config}/{split.split}.jsonl"


def _card(splits: list[SplitData]) -> str:
    """The data set's card, which says which file is which split of which configuration. JSON is YAML too."""
    configs = sorted({split.config for split in splits})
    described = [
        {
            "config_name": config,
            "default": len(configs) == 1,
            "data_files": [
                {"split": split.split, "path": _path_of(split)} for split in splits if split.config == config
            ],
        }
        for config in configs
    ]
    return f"---\nconfigs: {json.dumps(described)}\n---\n"
