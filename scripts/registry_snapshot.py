"""Writes the snapshot of the ACP registry that the SDK ships: `make snapshot ARGS="--registry FOLDER"`.

FOLDER is a copy of the ACP registry, a folder with an agent.json for each agent. Only facts are kept.
"""

import argparse
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
SNAPSHOT = HERE.parent / "evalrouter/agents/registry/data/snapshot.json"
KEPT = ("id", "name", "version", "license", "description", "repository")


def main() -> None:
    """Writes the snapshot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry", type=Path, required=True, help="a copy of the ACP registry")
    copy = parser.parse_args().registry
    facts = yaml.safe_load((HERE / "registry_agents.yaml").read_text())
    agents = [kept(json.loads((copy / name / "agent.json").read_text())) for name in facts["keep"]]
    agents += [looked_up(agent) for agent in facts["agents"]]
    document = {
        "version": "1.0.0",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "agents": sorted(agents, key=lambda agent: agent["id"]),
        "extensions": [],
    }
    SNAPSHOT.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    print(f"{len(agents)} agents in {SNAPSHOT.relative_to(HERE.parent)}")


def kept(agent: dict[str, Any]) -> dict[str, Any]:
    """An agent of the copy, with the hash of its npm package where it has one."""
    distribution = agent["distribution"]
    if package := distribution.get("npx"):
        name, _, version = package["package"].rpartition("@")
        try:
            package["integrity"] = npm_release(name, version)[1]
        except subprocess.CalledProcessError:
            print(f"npm does not show {name} {version}: it is kept without a hash")
    return {key: agent[key] for key in KEPT if key in agent} | {"distribution": distribution}


def looked_up(agent: dict[str, Any]) -> dict[str, Any]:
    """An agent of the list of facts, with the version that the index has."""
    document = {key: agent[key] for key in KEPT if key in agent}
    if package := agent.get("npx"):
        version, integrity = npm_release(package["package"], package.get("version", "latest"))
        written = package | {"package": f"{package['package']}@{version}", "integrity": integrity}
        return document | {"version": version, "distribution": {"npx": written}}
    if package := agent.get("uvx"):
        version = pypi_version(package["package"], package.get("version"))
        written = {key: value for key, value in package.items() if key != "version"}
        written["package"] = f"{package['package']}=={version}"
        return document | {"version": version, "distribution": {"uvx": written}}
    return document | {"distribution": {}}


def npm_release(package: str, version: str) -> tuple[str, str]:
    """The exact version and the hash of a release on npm."""
    command = ["npm", "view", f"{package}@{version}", "version", "dist.integrity", "--json"]
    release = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return release["version"], release["dist.integrity"]


def pypi_version(package: str, version: str | None) -> str:
    """The newest version on PyPI, or the wanted one if it is there."""
    command = [sys.executable, "-m", "pip", "index", "versions", package]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"^Available versions: (.*)$", output, re.MULTILINE)
    versions = found[1].split(", ") if found else []
    if version and version not in versions:
        raise SystemExit(f"PyPI has no {package} {version}")
    return version or versions[0]


if __name__ == "__main__":
    main()
