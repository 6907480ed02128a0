"""What an agent has said of a task so far, put together from whatever it sends, and the answer in it; pure."""

import json
from collections.abc import Iterable

from a2a.types.a2a_pb2 import Artifact, Message, Part, Role, StreamResponse, Task, TaskState, TaskStatus
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]

from evalrouter_server.remote_agents.failures import TaskNotDone

LONGEST_ANSWER = 1_000_000
"""Characters."""

MOST_PARTS = 200_000
"""Parts that are kept of a task."""

LONGEST_ID = 500
"""Characters of an agent's own ID of a task."""

_ENDED = frozenset(
    {
        TaskState.TASK_STATE_COMPLETED,
        TaskState.TASK_STATE_FAILED,
        TaskState.TASK_STATE_CANCELED,
        TaskState.TASK_STATE_REJECTED,
    }
)

_WAITING = frozenset({TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED})
"""The states in which nothing more comes unless somebody says something."""

_NOT_DONE = {
    TaskState.TASK_STATE_FAILED: ("agent_failed", "The agent says that the task failed."),
    TaskState.TASK_STATE_CANCELED: ("agent_cancelled", "The agent cancelled the task."),
    TaskState.TASK_STATE_REJECTED: ("agent_rejected", "The agent rejected the task."),
    TaskState.TASK_STATE_INPUT_REQUIRED: ("agent_needs_input", "The agent asks for more input, and nobody answers it."),
    TaskState.TASK_STATE_AUTH_REQUIRED: ("agent_needs_auth", "The agent asks for a further login in the middle of it."),
}


class Progress:
    """A task at the agent.

    Attributes:
        remote_id: The agent's own ID of the task; None: it has told none.
        message: Its message, where it answered with one and made no task.
    """

    def __init__(self) -> None:
        self.remote_id: str | None = None
        self.message: Message | None = None
        self._status = TaskStatus()
        self._artifacts: dict[str, list[Part]] = {}
        self._history: list[Message] = []
        self._size = self._count = 0

    @property
    def has_ended(self) -> bool:
        """Whether the agent is done with it."""
        return self.message is not None or self._status.state in _ENDED

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.has_ended or self._status.state in _WAITING

    def hear(self, event: StreamResponse) -> None:
        """Take in one event.

        Raises:
            TaskNotDone: `answer_too_large`, `agent_protocol_error`.
        """
        match event.WhichOneof("payload"):
            case "task":
                self.take(event.task)
            case "message":
                self.message = event.message
                self._learn(event.message.task_id)
            case "status_update":
                self._learn(event.status_update.task_id)
                self._status = event.status_update.status
            case "artifact_update":
                update = event.artifact_update
                self._learn(update.task_id)
                self._add(update.artifact, append=update.append)

    def take(self, task: Task) -> None:
        """Take in the whole task in place of what was known.

        Raises:
            TaskNotDone: `answer_too_large`.
        """
        self._learn(task.id)
        self._status = task.status
        self._artifacts, self._size, self._count = {}, 0, 0
        for artifact in task.artifacts:
            self._add(artifact, append=True)
        self._history = list(task.history)

    def answer(self) -> str:
        """The answer of a task that is over.

        It is the text of the message; of a task the text of its artifacts, else that of its last status, else of the
        last message that the agent has in its history. Parts of a message are lines; those of an artifact, which may
        have come in pieces, are joined as they are. Where there is no text, structured data counts, as JSON. A file
        that is only linked is never fetched.

        Raises:
            TaskNotDone: The agent did not finish it, or its answer is empty or too long.
        """
        if self.message is not None:
            return _checked(_text(self.message.parts))
        if self._status.state in _NOT_DONE:
            code, message = _NOT_DONE[self._status.state]
            raise TaskNotDone(code, message, _text(self._status.message.parts) or None)
        spoken = [message for message in self._history if message.role == Role.ROLE_AGENT]
        candidates = (
            "\n\n".join(filter(None, (_text(parts, between="") for parts in self._artifacts.values()))),
            _text(self._status.message.parts),
            _text(spoken[-1].parts) if spoken else "",
        )
        return _checked(next(filter(None, candidates), ""))

    def _learn(self, remote_id: str) -> None:
        if len(remote_id) > LONGEST_ID:
            raise TaskNotDone(
                "agent_protocol_error", f"The agent's ID of the task is longer than {LONGEST_ID} characters."
            )
        self.remote_id = self.remote_id or remote_id or None

    def _add(self, artifact: Artifact, *, append: bool) -> None:
        parts = self._artifacts.setdefault(artifact.artifact_id, [])
        if not append:
            self._size -= sum(map(Part.ByteSize, parts))
            self._count -= len(parts)
            parts.clear()
        parts.extend(artifact.parts)
        self._size += sum(map(Part.ByteSize, artifact.parts))
        self._count += len(artifact.parts)
        if self._size > 8 * LONGEST_ANSWER or self._count > MOST_PARTS:
            raise _too_large()


def _text(parts: Iterable[Part], between: str = "\n") -> str:
    """The text of parts; where there is none, their data as JSON."""
    texts: list[str] = []
    data: list[str] = []
    for part in parts:
        match part.WhichOneof("content"):
            case "text":
                texts.append(part.text)
            case "raw" if part.media_type.startswith("text/"):
                texts.append(part.raw.decode(errors="replace"))
            case "data":
                data.append(json.dumps(MessageToDict(part.data), ensure_ascii=False))
    return between.join(texts) if any(map(str.strip, texts)) else "\n".join(data)


def _checked(text: str) -> str:
    if len(text) > LONGEST_ANSWER:
        raise _too_large()
    if not text.strip():
        raise TaskNotDone("no_answer", "The agent finished the task without an answer in text.")
    return text


def _too_large() -> TaskNotDone:
    return TaskNotDone("answer_too_large", f"The agent's answer is longer than {LONGEST_ANSWER:,} characters.")
