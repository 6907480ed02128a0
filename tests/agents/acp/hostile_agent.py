"""An ACP agent that misbehaves in the way that it is told: `hostile_agent.py BEHAVIOUR TOKEN [ARGUMENT]`.

All that it starts carries the token in its command line, so that a scan finds it.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BEHAVIOUR, TOKEN, *ARGUMENTS = sys.argv[1:]
SLEEP = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(600)"

_number = 0
_waiting: list[dict[str, Any]] = []


def write(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def ask(method: str, **params: Any) -> dict[str, Any]:
    """Sends a request and returns the whole answer; what else comes meanwhile waits."""
    global _number
    _number += 1
    write({"id": f"mine-{_number}", "method": method, "params": {"sessionId": "s", **params}})
    while (message := read()).get("id") != f"mine-{_number}":
        _waiting.append(message)
    return message


def update(**fields: Any) -> None:
    write({"method": "session/update", "params": {"sessionId": "s", "update": fields}})


def say(text: str, **more: Any) -> None:
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text}, **more)


def permission(title: str, **fields: Any) -> str:
    """Asks for permission and returns the outcome."""
    options = [
        {"optionId": f"{kind}!", "name": kind, "kind": kind} for kind in ("allow_always", "allow_once", "reject_once")
    ]
    answer = ask("session/request_permission", toolCall={"toolCallId": "t", "title": title, **fields}, options=options)
    outcome = answer["result"]["outcome"]
    return str(outcome.get("optionId", outcome["outcome"]))


def daemon(*, clean: bool = False) -> None:
    """Starts a process with a session of its own whose parent is gone; one that ignores polite signals."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            with Path(os.devnull).open("r+b") as nothing:
                for descriptor in (0, 1, 2):
                    os.dup2(nothing.fileno(), descriptor)
            os.execve(sys.executable, [sys.executable, "-c", SLEEP, TOKEN], {} if clean else dict(os.environ))
        os._exit(0)
    os.wait()


def sleep_for_ever(*_: Any) -> Any:
    while True:
        time.sleep(600)


def flood_stderr(request: dict[str, Any]) -> str:
    for _ in range(100):
        sys.stderr.write("x" * 1_000_000)
    say("42")
    return "end_turn"


def flood_updates(_: dict[str, Any]) -> str:
    while True:
        update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "flood " * 100})


def answer_after_cancel(_: dict[str, Any]) -> str:
    while read().get("method") != "session/cancel":
        pass
    say("too late")
    return "end_turn"


def daemons(_: dict[str, Any]) -> str:
    daemon()
    daemon(clean=True)
    subprocess.Popen([sys.executable, "-c", SLEEP, TOKEN], start_new_session=True)
    subprocess.Popen([sys.executable, "-c", SLEEP, TOKEN])
    say("42")
    return "end_turn"


def daemons_and_hang(request: dict[str, Any]) -> str:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    daemons(request)
    return str(sleep_for_ever())


def daemons_and_crash(request: dict[str, Any]) -> str:
    daemons(request)
    sys.stderr.write("I give up\n")
    sys.exit(3)


def kill_keeper(request: dict[str, Any]) -> str:
    daemon()
    os.kill(os.getppid(), signal.SIGKILL)
    return str(sleep_for_ever())


def fork_and_fork(request: dict[str, Any]) -> str:
    """Each process ends after it has started the next one."""
    if os.fork() == 0:
        for _ in range(100_000):
            if os.fork() == 0:
                os.setsid()
            else:
                os._exit(0)
            time.sleep(0.001)
        os._exit(0)
    say("42")
    return "end_turn"


def write_outside(_: dict[str, Any]) -> str:
    secret, target = ARGUMENTS
    here = Path.cwd()
    (here / "link").symlink_to(Path(secret).parent)
    (here / "file-link").symlink_to(secret)
    (here / "dangling").symlink_to(target)
    os.mkfifo(here / "pipe")
    names = [
        target,
        f"{here}/../escaped",
        f"{here}/link/target",
        f"{here}/dangling",
        "../escaped",
        f"{here}/pipe",
        "",
        "\0",
    ]
    answers = [ask("fs/write_text_file", path=name, content="owned") for name in names]
    names = [
        secret,
        f"{here}/link/secret",
        f"{here}/file-link",
        f"{here}/../secret",
        f"{here}/pipe",
        "/proc/self/environ",
        "/",
    ]
    answers += [ask("fs/read_text_file", path=name) for name in names]
    answers += [
        ask("terminal/create", command="/bin/sh", args=["-c", "pwd"], cwd=name) for name in ("/", f"{here}/link")
    ]
    answers += [
        ask("fs/write_text_file", path=5, content=[]),
        ask("no/such_method"),
        ask("elicitation/create", message="x"),
    ]
    allowed = ask("fs/write_text_file", path=f"{here}/new/deep/file.txt", content="one\ntwo\nthree\n")
    back = ask("fs/read_text_file", path=f"{here}/new/deep/file.txt", line=2, limit=1)
    say(json.dumps(["result" in answer for answer in answers]) + repr(allowed.get("result")) + repr(back["result"]))
    return "end_turn"


def permissions(_: dict[str, Any]) -> str:
    inside = str(Path.cwd() / "file.txt")
    outcomes = [
        permission("edit inside", kind="edit", locations=[{"path": inside}]),
        permission("edit outside", kind="edit", locations=[{"path": "/etc/passwd"}]),
        permission("change outside", kind="edit", content=[{"type": "diff", "path": "/etc/passwd", "newText": ""}]),
        permission("argument outside", kind="edit", rawInput={"filePath": "/etc/passwd"}),
        permission("run", kind="execute", rawInput={"command": "ls"}),
        permission("run elsewhere", kind="execute", rawInput={"command": "ls", "cwd": "/etc"}),
        permission("fetch", kind="fetch", rawInput={"url": "http://example.com"}),
    ]
    say(" ".join(outcomes))
    return "end_turn"


def permissions_for_ever(_: dict[str, Any]) -> str:
    while True:
        permission("do it")


def unknown_updates(_: dict[str, Any]) -> str:
    update(sessionUpdate="telepathy", thought={"deep": [1, 2, 3]})
    update(sessionUpdate=7)
    chunk = {"sessionUpdate": "agent_message_chunk", "content": 5}
    odd_ones: tuple[Any, ...] = (None, [], "text", {}, {"update": []}, {"update": chunk})
    for odd in odd_ones:
        write({"method": "session/update", "params": odd})
    update(sessionUpdate="tool_call", toolCallId="t")
    write({"method": "_our/notice", "params": {}})
    write({"id": [1], "result": {}})
    write({"id": 999, "result": {}})
    say("42")
    return "satori"


def secrets(_: dict[str, Any]) -> str:
    sys.stderr.write(json.dumps(dict(os.environ)))
    permission(f"use {os.environ['OPENAI_API_KEY']}")
    say(f"my key is {os.environ['OPENAI_API_KEY']} and {os.environ.get('OWN_TOKEN')}; variables: {sorted(os.environ)}")
    return "end_turn"


def secrets_and_crash(_: dict[str, Any]) -> str:
    sys.stderr.write(json.dumps(dict(os.environ)))
    sys.exit(1)


def close_stdout(_: dict[str, Any]) -> str:
    os.close(1)
    return str(sleep_for_ever())


def long_lines(_: dict[str, Any]) -> str:
    sys.stdout.write("x" * 50_000_000 + "\n")
    say("y" * 50_000_000)
    sys.stdout.write("[" * 1_000_000 + "\n")
    say("42")
    return "end_turn"


def bad_json(_: dict[str, Any]) -> str:
    sys.stdout.write('{"jsonrpc": \n[1, 2]\n"text"\nnull\n\xff\xfe\n1e999\nI am just logging\n')
    say("42")
    return "end_turn"


def bad_json_for_ever(_: dict[str, Any]) -> str:
    while True:
        sys.stdout.write("I am just logging\n")


def no_read(_: dict[str, Any]) -> str:
    """Asks and never reads an answer."""
    for number in range(1_000_000):
        write({"id": number, "method": "fs/read_text_file", "params": {"sessionId": "s", "path": "x" * 10_000}})
    return "end_turn"


def no_answer(_: dict[str, Any]) -> str:
    return "end_turn"


def error(request: dict[str, Any]) -> str:
    write({"id": request["id"], "error": "it is broken"})
    return str(sleep_for_ever())


def locked_folders(_: dict[str, Any]) -> str:
    for root in (Path.home(), Path(os.environ["TMPDIR"]), Path.cwd()):
        (root / "locked/deep").mkdir(parents=True)
        (root / "locked/deep/file").write_text("x")
        (root / "locked/link").symlink_to("/etc")
        (root / "locked/deep").chmod(0)
        (root / "locked").chmod(0)
    say("42")
    return "end_turn"


def terminals(_: dict[str, Any]) -> str:
    created = ask("terminal/create", command="/bin/sh", args=["-c", "echo hello; cat; exit 3"])["result"]["terminalId"]
    ended = ask("terminal/wait_for_exit", terminalId=created)["result"]
    output = ask("terminal/output", terminalId=created)["result"]
    ask("terminal/release", terminalId=created)
    gone = ask("terminal/output", terminalId=created)
    flood = ask("terminal/create", command="yes | head -c 10000000", outputByteLimit=1000)["result"]["terminalId"]
    ask("terminal/wait_for_exit", terminalId=flood)
    flooded = ask("terminal/output", terminalId=flood)["result"]
    script = f"import os; os.fork() or os.setsid(); {SLEEP}"
    started = [ask("terminal/create", command=sys.executable, args=["-c", script, TOKEN]) for _ in range(20)]
    ids = [answer["result"]["terminalId"] for answer in started if "result" in answer]
    killed = ask("terminal/kill", terminalId=ids[0])
    ask("terminal/wait_for_exit", terminalId=ids[0])
    said = [ended, output, "error" in gone, len(flooded["output"]), flooded["truncated"], len(ids), "result" in killed]
    say(json.dumps(said))
    return "end_turn"


def terminals_and_hang(request: dict[str, Any]) -> str:
    script = f"import os; os.fork() or os.setsid(); {SLEEP}"
    for _ in range(2):
        ask("terminal/create", command=sys.executable, args=["-c", script, TOKEN])
    return str(sleep_for_ever())


def good(request: dict[str, Any]) -> str:
    say("a warning")
    say("thinking", messageId="1")
    update(sessionUpdate="tool_call", toolCallId="t", title="look")
    say("The answer is ", messageId="2")
    say("a warning")
    say(f"{len(request['params']['prompt'])}.", messageId="2")
    return "end_turn"


def serve() -> None:
    prompt: Callable[[dict[str, Any]], str] = globals().get(BEHAVIOUR, good)
    while True:
        request = _waiting.pop(0) if _waiting else read()
        method = request.get("method")
        if method == "initialize":
            if BEHAVIOUR == "never_initializes":
                sleep_for_ever()
            if BEHAVIOUR == "crashes_at_start":
                sys.stderr.write("no such model\n")
                sys.exit(1)
            image = {"promptCapabilities": {"image": True}}
            write({"id": request["id"], "result": {"protocolVersion": 1, "agentCapabilities": image}})
        elif method == "session/new" and BEHAVIOUR == "needs_login":
            write({"id": request["id"], "error": {"code": -32000, "message": "Authentication required"}})
        elif method == "session/new":
            write({"id": request["id"], "result": {"sessionId": "s"}})
        elif method == "session/prompt":
            write({"id": request["id"], "result": {"stopReason": prompt(request)}})


if __name__ == "__main__":
    serve()
