"""An ACP agent that asks the model by the variables that it is given: `calling_agent.py BEHAVIOUR TOKEN`.

`once` answers with the model's answer, `spend` calls until it is refused and then answers with the refusal as its text,
as some agents do. `hang` calls once, leaves a daemon and never answers. `wait:PATH` is `hang` until that path is there,
but for the first task. `tell:A,B` answers with these variables and every file in its HOME.
`dump:PATH` puts all that it can find of its task into a file in the folder PATH.
`tool` says that it uses a tool, calls twice and answers.
"""

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

BEHAVIOUR, TOKEN = sys.argv[1:]


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


def may_go_on(path: str) -> bool:
    if Path(path).exists():
        return True
    try:
        os.close(os.open(f"{path}.first", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def told(names: list[str]) -> list[str]:
    home = Path(os.environ["HOME"])
    files = [path for path in home.rglob("*") if path.is_file()]
    return [f"{name}={os.environ.get(name)}" for name in names] + [
        f"{path.relative_to(home)}={path.read_text()}" for path in files
    ]


def dump(folder: str, prompt: str) -> None:
    private = Path(os.environ["HOME"]).parent
    files = [path for root in (private, Path.cwd()) for path in root.rglob("*") if path.is_file()]
    seen = {str(path): path.read_text(errors="replace") for path in files}
    words = [Path(f"/proc/{name}/cmdline").read_text() for name in (os.getpid(), os.getppid())]
    Path(folder, str(os.getpid())).write_text(json.dumps([seen, dict(os.environ), words, prompt]))


def work(prompt: str) -> str:
    if BEHAVIOUR.startswith("dump:"):
        dump(BEHAVIOUR.removeprefix("dump:"), prompt)
    if BEHAVIOUR.startswith("tell:"):
        return " ".join(told(BEHAVIOUR.removeprefix("tell:").split(",")))
    if BEHAVIOUR == "tool":
        tool = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "look\x1b[2Jaround", "kind": "search"}
        write({"method": "session/update", "params": {"sessionId": "s", "update": tool}})
        call(prompt)
    try:
        text = call(prompt)
        while BEHAVIOUR == "spend":
            call(prompt)
    except urllib.error.HTTPError as error:
        return f"error {error.code}: {error.read().decode()}"
    if BEHAVIOUR == "hang" or (BEHAVIOUR.startswith("wait:") and not may_go_on(BEHAVIOUR.removeprefix("wait:"))):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", TOKEN], start_new_session=True)
        time.sleep(600)
    return text


for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            write({"id": message["id"], "result": {"protocolVersion": 1}})
        case "session/new":
            write({"id": message["id"], "result": {"sessionId": "s"}})
        case "session/prompt":
            text = work(message["params"]["prompt"][0]["text"])
            update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
            write({"method": "session/update", "params": {"sessionId": "s", "update": update}})
            write({"id": message["id"], "result": {"stopReason": "end_turn"}})
