"""How soon things start: `python perf/startup.py [ROUNDS]`.

The command's start (`--version`, `--help`) beside the interpreter's own plus typer's; the embedded server from a
client's first request to its answer, on a data folder that is there; and the time from a run's creation to its first
task's request at the model's side. The exit code is 1 where a limit is passed.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from perf.upstream import MODEL
from scripts.machine import machine

COMMAND_LIMIT = 1.5
EMBEDDED_LIMIT_SECONDS = 1.0
FIRST_CALL_LIMIT_MS = 100.0

EMBEDDED = """
import time
began = time.perf_counter()
from evalrouter import EvalRouter
with EvalRouter() as client:
    client.wallet.get()
    print(time.perf_counter() - began)
"""

FIRST_CALL = """
import statistics, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from evalrouter import EvalRouter
from perf import upstream

asked = threading.Event()
at = 0.0

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global at
        if not asked.is_set():
            at = time.perf_counter()
            asked.set()
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(upstream.ANSWER)))
        self.end_headers()
        self.wfile.write(upstream.ANSWER)

    def log_message(self, *arguments):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
with EvalRouter() as client:
    client.connections.create(
        "double", base_url=f"http://127.0.0.1:{server.server_port}/v1", model=upstream.MODEL, free=True
    )
    for number in range(ROUNDS + 1):
        asked.clear()
        began = time.perf_counter()
        run = client.runs.create(
            benchmark="first-steps", model="connection:double", idempotency_key=str(number),
            coverage={"mode": "sample", "sample_count": 3},
        )
        asked.wait()
        if number:
            print(at - began)
        run.wait()
"""


def environment_with(bytecode: str) -> dict[str, str]:
    """Variables with which Python keeps its bytecode, as it does for users, whatever is set here."""
    left_out = {name for name in os.environ if name.startswith("EVALROUTER_")} | {"PYTHONDONTWRITEBYTECODE"}
    return {name: value for name, value in os.environ.items() if name not in left_out} | {
        "PYTHONPYCACHEPREFIX": bytecode
    }


def wall_seconds(command: list[str], environment: dict[str, str]) -> float:
    """How long a command takes."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - began


def told(program: str, folder: str, environment: dict[str, str]) -> list[float]:
    """The figures that a program prints, one a line."""
    answer = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        env=environment | {"EVALROUTER_DATA_DIR": folder},
    )
    return [float(line) for line in answer.stdout.split()]


def main(rounds: int = 7) -> int:
    """Measure in turns and print a table."""
    print(f"starts on {machine()}; medians of {rounds}; the model is {MODEL}")
    command = str(Path(sys.executable).with_name("evalrouter"))
    commands = {
        "python -c 'import typer'": [sys.executable, "-c", "import typer"],
        "evalrouter --version": [command, "--version"],
        "evalrouter --help": [command, "--help"],
    }
    with tempfile.TemporaryDirectory() as bytecode, tempfile.TemporaryDirectory() as folder:
        environment = environment_with(bytecode)
        samples: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, line in commands.items():
                seconds = wall_seconds(line, environment)
                samples[name] += [seconds] if number else []
        told(EMBEDDED, folder, environment)
        embedded = statistics.median(told(EMBEDDED, folder, environment)[0] for _ in range(rounds))
        first_calls = told(FIRST_CALL.replace("ROUNDS", str(rounds)), folder, environment)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    first_call = statistics.median(first_calls) * 1000
    base = medians["python -c 'import typer'"]
    for name, seconds in medians.items():
        print(f"{name:<32}{seconds * 1000:8.0f} ms   {seconds / base:.2f} of the interpreter with typer")
    print(f"{'embedded server, first answer':<32}{embedded * 1000:8.0f} ms   (under {EMBEDDED_LIMIT_SECONDS:.0f} s)")
    print(f"{'runs.create to the first call':<32}{first_call:8.0f} ms   (under {FIRST_CALL_LIMIT_MS:.0f} ms)")
    return int(
        max(medians.values()) > COMMAND_LIMIT * base
        or embedded > EMBEDDED_LIMIT_SECONDS
        or first_call > FIRST_CALL_LIMIT_MS
    )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
