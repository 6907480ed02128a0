"""One task for an agent, without a server: what is submitted, noted and left alive."""

import asyncio
import os
import shlex
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from evalrouter.agents.acp.agent import AcpAgent
from evalrouter.agents.acp.local import local_agent
from evalrouter.agents.context import AgentContext, AgentTask
from evalrouter.agents.gateway import AgentGateway

HOSTILE = Path(__file__).with_name("hostile_agent.py")
KEY = "sk-task-0123456789abcdef"


@define
class Recorder:
    """Where an agent's answer and notes go."""

    submitted: list[str] = field(factory=list)
    is_done: bool = False
    notes: list[str] = field(factory=list)

    async def submit(self, answer: str) -> None:
        self.submitted.append(answer)

    async def done(self) -> None:
        self.is_done = True

    def note(self, text: str) -> None:
        self.notes.append(text)


def question(text: str = "What is 6 x 7?") -> dict[str, Any]:
    """A task's inputs."""
    return {"messages": [{"role": "user", "content": text}]}


def context_of(
    workdir: Path, recorder: Recorder, inputs: Mapping[str, Any] | None = None, base_url: str = "http://127.0.0.1:9/v1"
) -> AgentContext:
    """The context of one task."""
    workdir.mkdir(exist_ok=True)
    document = {"id": "task_1", "index": 0, "repeat": 0, "inputs": inputs or question()}
    return AgentContext(AgentTask(document, recorder), AgentGateway(base_url, KEY, "double-1"), workdir, recorder)


def hostile(behaviour: str, token: str, *arguments: str, start: float = 60.0, **options: Any) -> AcpAgent:
    """The hostile agent; see `hostile_agent.py`."""
    command = shlex.join([sys.executable, str(HOSTILE), behaviour, token, *arguments])
    return local_agent(command, **{"timeout": 90.0, "start_timeout": start, **options})


def new_token() -> str:
    """What an agent's processes are known by."""
    return f"token-{uuid.uuid4().hex}"


def until(holds: Callable[[], bool], seconds: float = 120.0) -> None:
    """Waits until something holds."""
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, "it does not come to hold"
        time.sleep(0.05)


async def eventually(holds: Callable[[], bool]) -> None:
    """Waits until something holds, while the loop goes on."""
    await asyncio.to_thread(until, holds)


def alive(token: str) -> list[str]:
    """The processes with a token in their command line or variables, but for this one: none may be left."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            texts: Sequence[bytes] = [(folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()]
        except OSError:
            continue
        if state != "Z" and any(token.encode() in text for text in texts):
            found.append(f"{folder.name}: {texts[0].decode(errors='replace')[:200]}")
    return found
