"""The peers that are measured beside ours, each in an environment of its own at exact versions, made on first use."""

import shutil
import subprocess
import sys
from pathlib import Path

from evalrouter_server.harnesses import environments

FOLDER = Path(__file__).resolve().parents[1] / ".peers"
REQUIREMENTS = {
    "langfuse": ("langfuse==5.0.4",),
    "litellm": ("litellm[proxy]==1.108.7",),
}
"""What a peer's environment holds. The lock of the two harnesses is the product's own."""

HARNESSES: tuple[environments.HarnessName, ...] = ("inspect", "lm-eval")


def python_of(peer: str) -> Path:
    """The interpreter of a peer's environment.

    Args:
        peer: A name of `REQUIREMENTS`, or `inspect` or `lm-eval`.
    """
    for harness in HARNESSES:
        if peer == harness:
            return environments.provide(FOLDER, harness, lambda line: print(line, file=sys.stderr, flush=True))
    folder = FOLDER / peer
    python, mark = folder / "bin" / "python", folder / "complete"
    if not mark.is_file() or mark.read_text() != "\n".join(REQUIREMENTS[peer]):
        shutil.rmtree(folder, ignore_errors=True)
        uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
        subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *REQUIREMENTS[peer]], check=True)
        mark.write_text("\n".join(REQUIREMENTS[peer]))
    return python


def version_of(peer: str, package: str) -> str:
    """The version of a package in a peer's environment."""
    program = f"from importlib.metadata import version; print(version({package!r}))"
    told = subprocess.run([str(python_of(peer)), "-c", program], check=True, capture_output=True, text=True)
    return told.stdout.strip()
