"""Which task a harness's call belongs to: known by what it asks.

A harness sends the calls of many samples with one key. What each sample asks is known beforehand, so a call with the
same messages is that sample's; where a harness shows other examples than were listed, the last message decides. A
call that belongs to no sample is charged to the run.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalrouter_server.gateway.completion import Completion


@dataclass(slots=True)
class TaskCall:
    """The one call of a task.

    Attributes:
        task_id: The task.
        messages: What was asked, once it was.
        completion: What came back.
        error: Why nothing did.
    """

    task_id: str
    messages: list[dict[str, Any]] | None = None
    completion: Completion | None = None
    error: BaseException | None = None

    @property
    def call_key(self) -> str:
        """The call's name within its run: settled before, it is replayed, never made again."""
        return f"{self.task_id}:0"

    def follow(self, task: asyncio.Task[Completion]) -> None:
        """Note what comes of the call.

        Args:
            task: Ends as the call does.
        """

        def ended(task: asyncio.Task[Completion]) -> None:
            if not task.cancelled():
                self.error = task.exception()
                self.completion = None if self.error else task.result()

        task.add_done_callback(ended)


@dataclass(slots=True)
class Attribution:
    """The calls of the tasks that one process of a harness works on.

    Attributes:
        calls: By task.
        unattributed: How many calls belonged to no task.
    """

    calls: dict[str, TaskCall] = field(default_factory=dict)
    unattributed: int = 0
    _by_messages: dict[str, list[TaskCall]] = field(default_factory=lambda: defaultdict(list))
    _by_last: dict[str, list[TaskCall]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, tasks: Iterable[tuple[str, list[dict[str, Any]]]]) -> "Attribution":
        """The attribution among tasks.

        Args:
            tasks: Each task's ID with the messages of its call.
        """
        made = cls()
        for task_id, messages in tasks:
            call = made.calls[task_id] = TaskCall(task_id)
            made._by_messages[_digest(messages)].append(call)
            made._by_last[_digest(messages[-1:])].append(call)
        return made

    def take(self, body: Mapping[str, Any]) -> TaskCall | None:
        """The task whose call a request is; of several that ask the same, one that has not asked yet.

        Args:
            body: The request.
        """
        messages = body.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            return None
        found = self._by_messages.get(_digest(messages)) or self._by_last.get(_digest(messages[-1:]))
        if not found:
            self.unattributed += 1
            return None
        call = next((call for call in found if call.messages is None), found[-1])
        call.messages = messages
        return call


def _digest(messages: list[dict[str, Any]]) -> str:
    return json.dumps([[message.get("role"), _text(message.get("content"))] for message in messages])


def _text(content: Any) -> Any:
    """A content as one text, however it is written."""
    if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return "".join(str(part.get("text")) for part in content)
    return content
