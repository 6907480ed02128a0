"""The escaping agent as one of a registry of its own, and a benchmark whose questions tell it what to do."""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

from evalrouter.agents.registry.entries import parse_registry
from evalrouter.agents.registry.install import installation_key
from evalrouter.agents.registry.store import AgentStore, Installed

SCRIPT = Path(__file__).with_name("escaping_agent.py")
NAME = "escaping"


def registry() -> dict[str, Any]:
    """A registry with the agent, as a program whose sha256 was published."""
    systems = ("linux-x86_64", "linux-aarch64")
    program = {"archive": "https://agents.invalid/escaping", "cmd": "escaping", "sha256": "0" * 64}
    binaries = dict.fromkeys(systems, program)
    return {"agents": [{"id": NAME, "name": "Escaping", "version": "1.0", "distribution": {"binary": binaries}}]}


def install(folder: Path) -> dict[str, str]:
    """Installs the agent below a folder, as the installer would; gives the variables by which it is found."""
    (folder / "registry.json").write_text(json.dumps(registry()))
    entry = parse_registry(registry(), "override").entries[NAME]

    def fill(files: Path) -> Installed:
        (files / "agent.py").write_text(SCRIPT.read_text())
        return Installed((sys.executable, str(files / "agent.py")), None, "1.0", files)

    AgentStore(folder / "agents").get(NAME, installation_key(entry), fill)
    return {
        "EVALROUTER_AGENTS_DIR": str(folder / "agents"),
        "EVALROUTER_AGENT_REGISTRY": str(folder / "registry.json"),
    }


def benchmark(folder: Path, wanted: list[dict[str, Any]], slug: str = "escapes") -> Path:
    """The manifest of a benchmark with a question for each thing to do."""
    folder.mkdir(exist_ok=True)
    rows = [{"q": json.dumps(each), "a": "x"} for each in wanted]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    document = {
        "slug": slug,
        "source": {"kind": "file", "path": "rows.jsonl"},
        "rows": {"inputs": {"question": "q"}, "target": "a"},
        "protocol": {"user": "{question}"},
        "grader": {"kind": "exact"},
        "limits": {"max_output_tokens": 32, "task_seconds": 30},
    }
    path = folder / "manifest.yaml"
    path.write_text(yaml.safe_dump(document))
    return path
