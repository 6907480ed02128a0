"""CPU time of `import evalrouter` beside `import httpx` in fresh interpreters: the ratio is at most 1.5."""

import os
import statistics
import subprocess
import sys

LIMIT = 1.5
ROUNDS = 15
PROGRAM = "import time; start = time.process_time(); import {module}; print(time.process_time() - start)"


def cpu_seconds(module: str) -> float:
    """CPU seconds (user and system) that importing `module` takes in a fresh interpreter."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", PROGRAM.format(module=module)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def medians(modules: tuple[str, ...], rounds: int = ROUNDS) -> dict[str, float]:
    """Median CPU seconds of importing each module, measured in turns so that the machine's mood is shared."""
    for module in modules:
        cpu_seconds(module)
    samples = [[cpu_seconds(module) for module in modules] for _ in range(rounds)]
    return dict(zip(modules, map(statistics.median, zip(*samples, strict=True)), strict=True))


def main() -> int:
    """Print both medians in milliseconds and their ratio; the exit code is 1 above the limit."""
    measured = medians(("evalrouter", "httpx"))
    for module, seconds in measured.items():
        print(f"import {module:<12}{seconds * 1000:7.1f} ms CPU")
    ratio = measured["evalrouter"] / measured["httpx"]
    print(f"ratio {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
