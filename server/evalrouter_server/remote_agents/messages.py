"""From a task's chat messages to the message that an agent gets; pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from a2a.types.a2a_pb2 import Message, Part, Role

_TURNS = {"user": "User", "assistant": "Assistant"}


def message_of(messages: Sequence[Mapping[str, Any]], message_id: str) -> Message:
    """The message of a task.

    A single question is sent as it is. Of a conversation, each turn gets a heading, but for the instructions, which
    come first.

    Args:
        messages: What a model would be asked.
        message_id: Names the message, the same each time, so that an agent can know it again.
    """
    turns = [(str(message["role"]), str(message["content"])) for message in messages]
    instructions = [text for role, text in turns if role == "system"]
    talk = [(role, text) for role, text in turns if role != "system"]
    said = [talk[0][1]] if len(talk) == 1 else [f"{_TURNS.get(role, role)}: {text}" for role, text in talk]
    text = "\n\n".join([*instructions, *said])
    return Message(message_id=message_id, role=Role.ROLE_USER, parts=[Part(text=text, media_type="text/plain")])
