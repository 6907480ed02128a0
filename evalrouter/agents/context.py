"""What an agent is given for one task: the task, the model, a folder, and a place for progress notes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from evalrouter.agents.gateway import AgentGateway

LONGEST_NOTE = 2000
"""Characters of a progress note; the rest of a longer one is left out."""


class Delivery(Protocol):
    """How what an agent says of its task gets to the server."""

    async def submit(self, answer: str) -> None:
        """Hands in the answer."""
        ...

    async def done(self) -> None:
        """Says that the work on the task is over."""
        ...

    def note(self, text: str) -> None:
        """Adds a progress note; does not wait until it is there."""
        ...


class AgentTask:
    """The task that the agent works on.

    Args:
        document: The task as `get` gives it.
        delivery: Where answers go.
    """

    def __init__(self, document: Mapping[str, Any], delivery: Delivery) -> None:
        self._document = dict(document)
        self._delivery = delivery

    async def get(self) -> dict[str, Any]:
        """The task.

        Returns:
            `id`, `index` (its place in the run, from 0), `repeat` (from 0) and `inputs`, among them `messages`: what a
            model would be asked, in the chat completions wire's form. Never what is right.
        """
        return dict(self._document)

    async def submit(self, answer: str) -> None:
        """Hands in the answer, once.

        Where the task came with files (`inputs["files"]`, which are in the working folder), what was changed of them is
        handed in with it, and that is what is graded.

        Args:
            answer: The whole text; the benchmark's grader finds the answer in it, as in a model's output. NUL and
                halves of surrogate pairs become U+FFFD.

        Raises:
            InvalidArgumentError: It is not a text, or longer than 1,000,000 characters.
            ConflictError: There was an answer before (`already_submitted`), or the task is not this agent's any more
                (`lease_ended`).
            EvalRouterError: It could not be handed in.
        """
        await self._delivery.submit(answer)

    async def done(self) -> None:
        """Says that the work is over: what was submitted is graded, and the task's gateway key dies.

        Raises:
            ConflictError: Nothing was submitted (`not_submitted`), or the task is not this agent's any more
                (`lease_ended`).
            EvalRouterError: It could not be said.
        """
        await self._delivery.done()


class AgentContext:
    """What an agent is given for one task.

    Attributes:
        task: The task.
        gateway: The run's model, metered.
        workdir: A fresh folder for this task alone, with the files that it comes with, removed afterwards.
    """

    def __init__(self, task: AgentTask, gateway: AgentGateway, workdir: Path, delivery: Delivery) -> None:
        self.task = task
        self.gateway = gateway
        self.workdir = workdir
        self._delivery = delivery

    def log(self, *words: object) -> None:
        """Adds a progress note to the run's events (`task.note`), as `print` would write it; it is not awaited.

        A note has 2,000 characters at most and a task 200 notes; what is beyond is left out. Do not log secrets.
        """
        self._delivery.note(" ".join(map(str, words))[:LONGEST_NOTE])
