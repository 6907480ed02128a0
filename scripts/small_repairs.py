"""Writes the data of the benchmark small-repairs from benchmarks/small-repairs, and its digests into the manifest."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.sources import content_digest, normalise, read_rows

ROOT = Path(__file__).resolve().parent.parent
TASKS = ROOT / "benchmarks" / "small-repairs"
CATALOG = ROOT / "server" / "evalrouter_server" / "catalog"
DATA = CATALOG / "data" / "small-repairs.jsonl"
MANIFEST = CATALOG / "manifests" / "small-repairs-1.yaml"


def tasks() -> list[str]:
    """The names of the tasks, group by group."""
    names = [path.parent.name for path in TASKS.glob("*/task.yaml")]
    return sorted(names, key=lambda name: (_document(name)["group"], name))


def files_in(name: str, part: str) -> dict[str, str]:
    """The files of a task's `repository` or `solution`, the content by path."""
    folder = TASKS / name / part
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in sorted(found)}


def rows() -> Iterator[dict[str, Any]]:
    """The rows of the benchmark."""
    for name in tasks():
        document = _document(name)
        yield {
            "name": name,
            "group": document["group"],
            "task": document["task"].strip(),
            "files": files_in(name, "repository"),
            "tests": document["tests"],
        }


def data() -> str:
    """The data as it ships."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows())


def _document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((TASKS / name / "task.yaml").read_text("utf-8"))
    return document


def main() -> None:
    """Write both files."""
    DATA.write_text(data(), encoding="utf-8")
    sha256 = hashlib.sha256(DATA.read_bytes()).hexdigest()
    MANIFEST.write_text(re.sub(r"(?<= sha256: )\w{64}", sha256, MANIFEST.read_text("utf-8")), encoding="utf-8")
    (manifest,) = (each for each in Benchmarks.shipped().native() if each.slug == "small-repairs")
    digest = content_digest(normalise(manifest, read_rows(DATA, manifest.sources[0])))
    written = MANIFEST.read_text("utf-8").replace(manifest.content_digest, digest)
    MANIFEST.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
