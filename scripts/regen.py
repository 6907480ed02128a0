"""Generates everything that is generated: the client and the server's models from the contract, sync code from async.

    scripts/regen               writes what has changed
    scripts/regen --check       writes nothing; fails and names the files that differ
    scripts/regen --into DIR    writes the generated files below DIR instead of the checkout

The generators and their formatter run in an environment of their own under `.tools/`, from exact versions with hashes
(`templates/constraints.txt`), so that the result depends on nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import contract_document, unasync

ROOT = Path(__file__).resolve().parent.parent
CONTRACT = Path("openapi.yaml")
CLIENT = Path("generated/evalrouter_api")
MODELS = Path("server/evalrouter_server/contract/models.py")
SERVED_CONTRACT = Path("server/evalrouter_server/contract/openapi.yaml")
TWINS = {
    Path("evalrouter/_async"): Path("evalrouter/_sync"),
    Path("tests/sdk/_async"): Path("tests/sdk/_sync"),
}
"""Folders of async source, and where their sync twins are written."""

GENERATED_FROM_CONTRACT = "# Generated from openapi.yaml by scripts/regen; do not edit."
REQUEST_BASE = "evalrouter_server.contract.request.RequestModel"
GENERATED_STYLE = ["--isolated", "--line-length", "120", "--target-version", "py312"]
OUR_STYLE = ["--config", "pyproject.toml"]


class Tools:
    """The pinned generators and formatter, installed in `.tools/regen` when first needed."""

    def __init__(self) -> None:
        self._bin = self._install()

    def run(self, name: str, *arguments: str | Path, cwd: Path = ROOT) -> None:
        """Runs a tool; exits with its output if it fails."""
        _run([self._bin / name, *arguments], cwd)

    @staticmethod
    def _install() -> Path:
        folder = ROOT / ".tools" / "regen"
        pins = ROOT / "templates" / "constraints.txt"
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        wanted = f"{python} {hashlib.sha256(pins.read_bytes()).hexdigest()}"
        stamp = folder / ".installed"
        if not stamp.exists() or stamp.read_text() != wanted:
            uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
            _run([uv, "venv", "--quiet", "--clear", "--no-project", "--python", sys.executable, folder], ROOT)
            install: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", folder, "--no-deps"]
            _run([*install, "--require-hashes", "-r", pins], ROOT)
            stamp.write_text(wanted)
        return folder / ("Scripts" if os.name == "nt" else "bin")


def generate(target: Path) -> set[str]:
    """Writes every generated file below `target`.

    Args:
        target: A folder that takes the place of the checkout's root.

    Returns:
        The names of the sync conversion's rules that matched nothing.
    """
    tools = Tools()
    contract = ROOT / CONTRACT
    document = yaml.safe_load(contract.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        _generate_client(tools, document, Path(scratch), target / CLIENT)
        _generate_models(tools, document, Path(scratch), target / MODELS)
    (target / SERVED_CONTRACT).write_bytes(contract.read_bytes())
    return _generate_twins(tools, target)


def _generate_client(tools: Tools, document: contract_document.Document, scratch: Path, target: Path) -> None:
    source = scratch / "client.json"
    source.write_text(json.dumps(contract_document.for_client(document)), encoding="utf-8")
    tools.run(
        "openapi-python-client",
        *("generate", "--meta", "none", "--fail-on-warning", "--path", source, "--output-path", target),
        *("--config", ROOT / "templates" / "client.yaml", "--custom-template-path", ROOT / "templates" / "client"),
    )
    (target / "py.typed").touch()
    for module in target.rglob("*.py"):
        module.write_text(f"{GENERATED_FROM_CONTRACT}\n\n{module.read_text(encoding='utf-8')}", encoding="utf-8")
    _format(tools, target, GENERATED_STYLE)


def _generate_models(tools: Tools, document: contract_document.Document, scratch: Path, target: Path) -> None:
    source = scratch / "models.json"
    source.write_text(json.dumps(contract_document.for_models(document)), encoding="utf-8")
    bases = dict.fromkeys(contract_document.closed_schemas(document), REQUEST_BASE)
    target.parent.mkdir(parents=True, exist_ok=True)
    tools.run(
        "datamodel-codegen",
        *("--input", source, "--input-file-type", "openapi", "--output", target, "--ignore-pyproject"),
        *("--output-model-type", "pydantic_v2.BaseModel", "--target-python-version", "3.12", "--strict-refs"),
        *("--use-annotated", "--use-union-operator", "--use-standard-collections", "--use-type-alias"),
        *("--enum-field-as-literal", "all", "--output-datetime-class", "AwareDatetime", "--strict-nullable"),
        *("--use-schema-description", "--use-field-description", "--use-single-line-docstring"),
        *("--keep-model-order", "--disable-future-imports", "--no-allow-remote-refs", "--formatters", "builtin"),
        *("--disable-timestamp", "--custom-file-header", GENERATED_FROM_CONTRACT),
        *("--base-class-map", json.dumps(bases)),
    )
    _format(tools, target, GENERATED_STYLE)


def _generate_twins(tools: Tools, target: Path) -> set[str]:
    converter = unasync.Converter()
    for source, twin in TWINS.items():
        modules = sorted((ROOT / source).rglob("*.py"))
        for module in modules:
            written = target / twin / module.relative_to(ROOT / source)
            written.parent.mkdir(parents=True, exist_ok=True)
            try:
                text = converter.convert(module.read_text(encoding="utf-8"), module.relative_to(ROOT).as_posix())
            except unasync.NoSyncFormError as error:
                sys.exit(str(error))
            written.write_text(text, encoding="utf-8")
        if modules:
            _format(tools, target / twin, OUR_STYLE)
    return converter.unused_rules


def _format(tools: Tools, path: Path, style: list[str]) -> None:
    tools.run("ruff", "check", *style, "--no-cache", "--fix-only", "--select", "F401,F811,I,UP", path)
    tools.run("ruff", "format", *style, "--no-cache", path)


def generated_files(root: Path) -> dict[Path, bytes]:
    """Returns the content of each generated file below `root`, by its path from there."""
    files = [root / MODELS, root / SERVED_CONTRACT]
    for folder in (CLIENT, *TWINS.values()):
        files += (path for path in (root / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(root): path.read_bytes() for path in files if path.exists()}


def differences(fresh: Path) -> list[Path]:
    """Returns the generated files that differ, or are on one side only, between `fresh` and the checkout."""
    new, old = generated_files(fresh), generated_files(ROOT)
    return sorted(path for path in new.keys() | old.keys() if new.get(path) != old.get(path))


def _update(fresh: Path) -> list[Path]:
    """Makes the checkout equal to `fresh`, touching only what differs."""
    changed = differences(fresh)
    for path in changed:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        if (fresh / path).exists():
            shutil.copyfile(fresh / path, ROOT / path)
        else:
            (ROOT / path).unlink()
    return changed


def _run(command: list[str | Path], cwd: Path) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    if Path("/etc/ssl/certs/ca-certificates.crt").exists():
        environment.setdefault("UV_SYSTEM_CERTS", "true")
    result = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, text=True, capture_output=True, check=False
    )
    if result.returncode:
        sys.exit(f"{Path(command[0]).name} failed with status {result.returncode}:\n{result.stdout}{result.stderr}")


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="scripts/regen", description=(__doc__ or "").partition("\n")[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--check", action="store_true", help="write nothing; fail if a generated file differs")
    choice.add_argument("--into", type=Path, metavar="DIR", help="write below DIR instead of the checkout")
    options = parser.parse_args()
    if options.into:
        if options.into.exists() and any(options.into.iterdir()):
            parser.error(f"{options.into} is not empty: name a new folder")
        generate(options.into.resolve())
        return
    with tempfile.TemporaryDirectory() as folder:
        unused = generate(Path(folder))
        changed = differences(Path(folder)) if options.check else _update(Path(folder))
    for path in changed:
        print(f"{'differs' if options.check else 'wrote'}: {path}")
    for rule in sorted(unused):
        print(f"unused rule of scripts/unasync.py: {rule}", file=sys.stderr)
    if options.check and changed:
        sys.exit("Generated files are not what their sources say: run scripts/regen and commit the result.")


if __name__ == "__main__":
    main()
