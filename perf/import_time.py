"""CPU time of importing the SDK beside `import httpx`, in fresh interpreters with warm bytecode."""

import os
import statistics
import subprocess
import sys
import tempfile

LIMIT = 1.5
"""The most that `LIMITED` may cost, in units of `BASE`."""
ROUNDS = 15
BASE = "import httpx"
LIMITED = "import evalrouter"
STATEMENTS = (BASE, LIMITED, "from evalrouter import EvalRouter")
PROGRAM = "import time; start = time.process_time(); {statement}; print(time.process_time() - start)"


def cpu_seconds(statement: str, bytecode: str) -> float:
    """CPU seconds (user and system) that a statement takes in a fresh interpreter.

    Args:
        statement: An import statement.
        bytecode: The folder of the bytecode cache, so that neither side depends on what the environment has compiled.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = bytecode
    command = [sys.executable, "-c", PROGRAM.format(statement=statement)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def medians(statements: tuple[str, ...], rounds: int = ROUNDS) -> dict[str, float]:
    """Median CPU seconds of each statement, measured in turns so that all share the machine's mood."""
    with tempfile.TemporaryDirectory() as bytecode:
        for statement in statements:
            cpu_seconds(statement, bytecode)
        samples = [[cpu_seconds(statement, bytecode) for statement in statements] for _ in range(rounds)]
    return dict(zip(statements, map(statistics.median, zip(*samples, strict=True)), strict=True))


def main() -> int:
    """Print the medians in milliseconds and as ratios; the exit code is 1 where the limit is passed."""
    measured = medians(STATEMENTS)
    for statement, seconds in measured.items():
        print(f"{statement:<36}{seconds * 1000:7.1f} ms CPU   {seconds / measured[BASE]:.2f} of httpx")
    return int(measured[LIMITED] > LIMIT * measured[BASE])


if __name__ == "__main__":
    sys.exit(main())
