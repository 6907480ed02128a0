"""An ACP agent as an `Agent`: for each task a process of its own, in a folder and a home of its own."""

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from secrets import token_hex

from attrs import evolve

from evalrouter.agents.acp.client import TaskClient
from evalrouter.agents.acp.environment import agent_environment
from evalrouter.agents.acp.folder import Folder
from evalrouter.agents.acp.permissions import Permission, checked_permission
from evalrouter.agents.acp.prompt import Prompt, prompt_of
from evalrouter.agents.acp.session import Session, Start
from evalrouter.agents.acp.terminals import Terminals
from evalrouter.agents.additions import NOTHING_ADDED, Additions, secret_values
from evalrouter.agents.agent import SECONDS_PER_TASK, Agent, AgentSpec, TaskFailed
from evalrouter.agents.context import AgentContext
from evalrouter.agents.folders import remove_folder
from evalrouter.agents.launch import AgentLaunch, Launcher, ModelAccess

START_SECONDS = 120.0
"""The most time from the start of an agent's process until it is ready for a prompt."""

_END_SECONDS = 30.0

SECONDS_BESIDE_PROMPT = START_SECONDS + _END_SECONDS
"""What a task of an agent with the usual limits may take beside its prompt."""
_HIDDEN = "[hidden]"


class AcpAgent(Agent):
    """An agent that speaks the Agent Client Protocol and is started here.

    Args:
        spec: What a run records of it.
        launcher: How it is started for a task.
        additions: What the user added to its start, which is kept out of what it says.
        permission: How its requests for permission are answered.
        timeout: The most time for a task's prompt, in seconds.
        start_timeout: The most time until it is ready for the prompt, in seconds.

    Raises:
        InvalidArgumentError: There is no such policy.
    """

    def __init__(
        self,
        spec: AgentSpec,
        launcher: Launcher,
        *,
        additions: Additions = NOTHING_ADDED,
        permission: Permission = "allow-in-workdir",
        timeout: float = SECONDS_PER_TASK,
        start_timeout: float = START_SECONDS,
    ) -> None:
        self.name = spec.name
        self.task_seconds = start_timeout + timeout + _END_SECONDS
        self._spec = evolve(spec, task_seconds=self.task_seconds)
        self.launcher = launcher
        self._additions = additions
        self._permission = checked_permission(permission)
        self._timeout = timeout
        self._start_timeout = start_timeout

    def spec(self) -> AgentSpec:
        """What a run records of this agent."""
        return self._spec

    async def run(self, context: AgentContext) -> None:
        """Starts the agent, gives it the task, hands in its answer, and ends it with all that it started.

        Args:
            context: The task, the model and a working folder.

        Raises:
            TaskFailed: The agent did not answer.
        """
        task = await context.task.get()
        prompt = prompt_of(task["inputs"])
        gateway = context.gateway
        launch = self.launcher(ModelAccess(gateway.base_url, gateway.api_key, gateway.model))
        secrets = {gateway.api_key, *secret_values(launch.env), *self._additions.secrets()}
        hide = partial(_without, secrets | self._additions.private())
        try:
            answer = await self._work(
                context, launch, prompt, lambda text: context.log(hide(text)), has_files="files" in task["inputs"]
            )
        except TaskFailed as error:
            details = hide(error.details) if error.details else None
            raise TaskFailed(error.code, hide(error.message), details) from None
        await context.task.submit(_without(secrets, answer))
        await context.task.done()

    async def _work(
        self,
        context: AgentContext,
        launch: AgentLaunch,
        prompt: Prompt,
        log: Callable[[str], None],
        *,
        has_files: bool,
    ) -> str:
        marker = token_hex(16)
        with _private_folder() as private, _opened(context.workdir) as folder:
            environment = self._prepare(context, launch, private)
            for attachment in prompt.attachments:
                folder.write(attachment.name, attachment.content)
            start = Start(launch.argv, environment, marker, private / "stderr.log", self._start_timeout)
            terminals = Terminals(folder, environment, marker)
            client = TaskClient(folder, terminals, self._permission, log)
            try:
                async with Session(start, folder, context.workdir.resolve(), client) as session:
                    await session.open(context.gateway.model)
                    ended = await session.prompt(prompt, self._timeout, needs_answer=not has_files)
            finally:
                await terminals.close()
        if ended.reason != "end_turn":
            log(f"the agent stopped with {ended.reason}")
        return ended.answer

    def _prepare(self, context: AgentContext, launch: AgentLaunch, private: Path) -> dict[str, str]:
        """Makes the private folders and what the agent finds there; gives its variables."""
        home, temporary = private / "home", private / "tmp"
        home.mkdir(mode=0o700)
        temporary.mkdir(mode=0o700)
        with _opened(home) as folder:
            for name, content in launch.files.items():
                folder.write(name, content.encode())
        gateway = context.gateway
        access = ModelAccess(gateway.base_url, gateway.api_key, gateway.model)
        return agent_environment(access, home, temporary, launch.env)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Folder]:
    folder = Folder(path)
    try:
        yield folder
    finally:
        folder.close()


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    """A folder that only this user can look into, gone afterwards whatever was done to it."""
    path = Path(tempfile.mkdtemp(prefix="evalrouter-agent-"))
    try:
        yield path
    finally:
        remove_folder(path)


def _without(hidden: Iterable[str], text: str) -> str:
    for each in sorted(hidden, key=len, reverse=True):
        text = text.replace(each, _HIDDEN)
    return text
