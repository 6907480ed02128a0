"""The gateway beside LiteLLM's proxy: `python perf/gateway.py [SECONDS]`.

Requests per second and latency of both in front of one upstream of 50 ms, and of the upstream alone, unstreamed and
streamed. Ours checks the key, reserves each call's worst case and settles it, durably, on SQLite; LiteLLM's checks a
key and has no database. Client, proxy and upstream share the machine, as in the design's figures. The exit code is 1
where ours is not 8 times LiteLLM's rate at 64 connections, or adds more than 3 ms at the median at one connection.
"""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx

from evalrouter import EvalRouter, agents
from perf.load import Load, load
from perf.peers import python_of, version_of
from perf.upstream import MODEL, upstream
from scripts.machine import machine

DELAY_SECONDS = 0.05
CONNECTIONS = (1, 64, 256)
KEY = "sk-litellm-of-this-measurement"
RATE_LIMIT = 8
ADDED_MS_LIMIT = 3.0
ROW = "{:<10} {:<11} {:>12} {:>9} {:>9} {:>9} {:>7}"


class Open(agents.Agent):
    """Tells where its gateway is and with which key, and works until it is let go."""

    name = "load"

    def __init__(self) -> None:
        self.told = threading.Event()
        self.let_go = threading.Event()
        self.where: tuple[str, str, str] = ("", "", "")

    def run(self, context: Any) -> None:
        """Hold the task open while others call with its key."""
        context.task.get()
        gateway = context.gateway
        self.where = (gateway.base_url, gateway.api_key, gateway.model)
        self.told.set()
        self.let_go.wait()
        context.task.submit("ANSWER: 42")
        context.task.done()


@contextlib.contextmanager
def ours(upstream_url: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """A served EvalRouter with an open lease; gives the gateway's base URL, the lease's key and the model."""
    command = [sys.executable, "-m", "evalrouter_server", "serve", "--port", "0", "--data-dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        secret, url = "", ""
        while not url:
            line = server.stdout.readline()
            secret = found[1] if (found := re.search(r"shown only now: (\S+)", line)) else secret
            url = found[1] if (found := re.search(r"serves (\S+)", line)) else ""
        agent = Open()
        try:
            with EvalRouter(base_url=url, api_key=secret) as client:
                client.connections.create("double", base_url=upstream_url, model=MODEL, input_price=1, output_price=1)
                run = client.runs.create(
                    benchmark="first-steps",
                    model="connection:double",
                    agent=agent,
                    max_cost=19,
                    coverage={"mode": "sample", "sample_count": 1},
                )
                agent.told.wait(60)
                yield agent.where
                run.cancel()
                agent.let_go.set()
                run.wait(60)
        finally:
            agent.let_go.set()
            server.terminate()


@contextlib.contextmanager
def litellm(upstream_url: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """LiteLLM's proxy with a master key; gives its base URL, the key and the model."""
    config = folder / "litellm.yaml"
    config.write_text(
        f"model_list:\n  - model_name: {MODEL}\n    litellm_params:\n      model: openai/{MODEL}\n"
        f"      api_base: {upstream_url}\n      api_key: unused\ngeneral_settings:\n  master_key: {KEY}\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python_of("litellm").parent / "litellm"), "--config", str(config), "--host", "127.0.0.1"]
    environment = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR"}
    with (
        (folder / "litellm.log").open("w") as log,
        subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log, env=environment) as proxy,
    ):
        try:
            patience = time.monotonic() + 180
            while True:
                with contextlib.suppress(httpx.HTTPError):
                    if httpx.get(f"http://127.0.0.1:{port}/health/liveliness", trust_env=False).is_success:
                        break
                if time.monotonic() > patience or proxy.poll() is not None:
                    raise SystemExit((folder / "litellm.log").read_text()[-2000:])
                time.sleep(0.5)
            yield f"http://127.0.0.1:{port}/v1", KEY, MODEL
        finally:
            proxy.terminate()


def main(seconds: float = 8) -> int:
    """Measure the three in turns and print a table."""
    for name in [name for name in os.environ if name.startswith("EVALROUTER_")]:
        del os.environ[name]
    print(f"evalrouter beside litellm {version_of('litellm', 'litellm')} on {machine()};")
    print(
        f"an upstream of {DELAY_SECONDS * 1000:.0f} ms, {seconds:.0f} s each; client, proxy and upstream on one machine"
    )
    print(ROW.format("", "connections", "requests/s", "p50 ms", "p99 ms", "added ms", "failed"))
    measured: dict[tuple[bool, int, str], Load] = {}
    with tempfile.TemporaryDirectory() as name, upstream(DELAY_SECONDS) as url, contextlib.ExitStack() as stack:
        folder = Path(name)
        sides = {
            "upstream": (url, "unused", MODEL),
            "evalrouter": stack.enter_context(ours(url, folder / "data")),
            "litellm": stack.enter_context(litellm(url, folder)),
        }
        for streamed in (False, True):
            print("streamed" if streamed else "unstreamed")
            for connections in CONNECTIONS:
                for side, (base_url, key, model) in sides.items():
                    got = measured[streamed, connections, side] = load(
                        base_url, key, model, connections, seconds, streamed
                    )
                    added = got.p50_ms - measured[streamed, connections, "upstream"].p50_ms
                    figures = (f"{got.requests_per_second:,.0f}", f"{got.p50_ms:.1f}", f"{got.p99_ms:.1f}")
                    print(ROW.format(side, connections, *figures, f"{added:.1f}", got.failed), flush=True)
    theirs = measured[False, 64, "litellm"].requests_per_second
    ratio = measured[False, 64, "evalrouter"].requests_per_second / theirs if theirs else float("inf")
    added = measured[False, 1, "evalrouter"].p50_ms - measured[False, 1, "upstream"].p50_ms
    print(f"at 64 connections {ratio:.1f} times litellm's rate (at least {RATE_LIMIT}); {added:.1f} ms added at one")
    print(f"(at most {ADDED_MS_LIMIT:.0f})")
    return int(ratio < RATE_LIMIT or added > ADDED_MS_LIMIT)


if __name__ == "__main__":
    sys.exit(main(*map(float, sys.argv[1:])))
