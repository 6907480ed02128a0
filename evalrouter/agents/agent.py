"""What an agent is: something with a name that works on one task at a time."""

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from attrs import frozen

from evalrouter.agents.source import source_digest
from evalrouter.errors import EvalRouterError

type AgentKind = Literal["python", "local", "registry", "remote"]

type Progress = Callable[[str], None]
"""Told in a sentence what is going on."""

SECONDS_PER_TASK = 1800.0
"""The most time for a task of an agent that says nothing else."""


@frozen
class AgentSpec:
    """What a run records of its agent. Two runs are the same only if their agents have the same kind, name and digest.

    Attributes:
        kind: `python`, `local`, `registry` or `remote`.
        name: Its name; of a registry agent its ID, of a remote one its connection's name.
        digest: Names exactly what runs: of source code, of a command with its file, of a version. 1 to 200 characters.
        version: Its version, where it has one.
        integrity: How a registry agent's files are known to be right.
        command: The command line that starts it, where it is a process.
        model_aliases: Names that its calls may give the model beside the model's own.
        task_seconds: The most time for a task, in seconds.
        hosted: Whether the server runs it.
    """

    kind: AgentKind
    name: str
    digest: str
    version: str | None = None
    integrity: str | None = None
    command: str | None = None
    model_aliases: tuple[str, ...] = ()
    task_seconds: float = SECONDS_PER_TASK
    hosted: bool = False


def silent(_: str) -> None:
    """Progress that nobody looks at."""


class Agent:
    """An agent of your own: give it a `name`, and a `run` that works on one task.

    `run` may be `async def run(self, context: AgentContext)`, or an ordinary method, which runs in a thread with a
    `SyncAgentContext`, whose methods are not awaited. One object works on several tasks at a time, so keep what belongs
    to a task in local variables. What `run` raises fails its task, with the traceback kept in the result; the other
    tasks go on.

    Attributes:
        name: A name to show.
        version: Change it when the agent has changed in a way that its class's source does not show, such as in another
            module: a run of the same agent, model and benchmark is not started twice.
        task_seconds: The most time for a task, in seconds.
        is_hosted: Whether it works on the server and not in this process.
    """

    is_hosted: ClassVar[bool] = False
    name: str = ""
    version: str = ""
    task_seconds: float = SECONDS_PER_TASK

    def run(self, context: Any) -> Any:
        """Works on one task: gets it, submits an answer, says that it is done.

        Args:
            context: The task, the model and a working folder.
        """
        raise NotImplementedError(f"{type(self).__name__} has no run method: define async def run(self, context)")

    def prepare(self, progress: Progress = silent) -> Any:
        """Gets ready whatever takes long, such as an installation; called before any task is taken, maybe repeatedly.

        Args:
            progress: Told what is going on.
        """

    def spec(self) -> AgentSpec:
        """What a run records of this agent; of one in Python the digest is over its source and its plain attributes."""
        return AgentSpec(
            kind="python",
            name=self.name or type(self).__name__,
            digest=source_digest(self, until=Agent),
            version=self.version or None,
            task_seconds=self.task_seconds,
        )


class TaskFailed(EvalRouterError):
    """Raised in `run` to fail the task with a code of its own, instead of a traceback.

    Args:
        code: A stable code in lower case, such as `agent_crashed`.
        message: What happened, without secrets.
        details: The last words of whatever failed, such as a log's end; kept up to 16,000 characters.
    """

    def __init__(self, code: str, message: str, details: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.details = details
