"""A task's inputs as a prompt: one text, and what is attached as files in the task's folder."""

import base64
import binascii
import json
import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

_TURNS = {"user": "User", "assistant": "Assistant", "system": "Instructions", "developer": "Instructions"}


@frozen
class Attachment:
    """A file that comes with a task.

    Attributes:
        name: Its name in the task's folder.
        media_type: Its media type.
        content: Its bytes.
    """

    name: str
    media_type: str
    content: bytes = field(repr=False)


@frozen
class Prompt:
    """What an agent is asked.

    Attributes:
        text: The text; it names the files.
        attachments: The files.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()

    def blocks(self, folder: Path, *, with_images: bool) -> list[dict[str, Any]]:
        """The prompt in the protocol's form.

        Args:
            folder: Where the files are.
            with_images: Whether the agent takes images in a prompt.
        """
        blocks: list[dict[str, Any]] = [{"type": "text", "text": self.text}]
        for each in self.attachments:
            if with_images and each.media_type.startswith("image/"):
                data = base64.b64encode(each.content).decode()
                blocks.append({"type": "image", "mimeType": each.media_type, "data": data})
            uri = (folder / each.name).as_uri()
            blocks.append({"type": "resource_link", "uri": uri, "name": each.name, "mimeType": each.media_type})
        return blocks


def prompt_of(inputs: Mapping[str, Any]) -> Prompt:
    """The prompt of a task.

    A single question is the prompt as it is. Of a conversation, each turn gets a heading, but for the instructions,
    which come first. What is not text becomes a file, named where it stood.

    Args:
        inputs: The task's inputs; without `messages`, all of them are given as JSON.
    """
    messages = inputs.get("messages")
    if not isinstance(messages, list) or not messages:
        return Prompt(json.dumps(inputs, ensure_ascii=False, indent=2))
    attachments: list[Attachment] = []
    turns = [(str(message.get("role", "user")), _text(message.get("content"), attachments)) for message in messages]
    instructions = [text for role, text in turns if role in ("system", "developer")]
    talk = [(role, text) for role, text in turns if role not in ("system", "developer")]
    said = [talk[0][1]] if len(talk) == 1 else [f"{_TURNS.get(role, role)}: {text}" for role, text in talk]
    return Prompt("\n\n".join([*instructions, *said]), tuple(attachments))


def _text(content: object, attachments: list[Attachment]) -> str:
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if isinstance(content, list) else []
    return "\n".join(_part(part, attachments) for part in parts if isinstance(part, dict))


def _part(part: Mapping[str, Any], attachments: list[Attachment]) -> str:
    kind = part.get("type")
    value = part.get(str(kind))
    if kind == "text":
        return str(value)
    if kind == "image_url" and isinstance(value, dict):
        return _linked(str(value.get("url", "")), None, attachments)
    if kind == "input_audio" and isinstance(value, dict):
        form = str(value.get("format", "wav"))
        return _linked(f"data:audio/{form};base64,{value.get('data', '')}", f"audio.{form}", attachments)
    if kind == "file" and isinstance(value, dict):
        return _linked(str(value.get("file_data", "")), value.get("filename"), attachments)
    return json.dumps(part, ensure_ascii=False)


def _linked(url: str, name: object, attachments: list[Attachment]) -> str:
    """Where something is that a message has as a URL: a file for a data URL, else the address itself."""
    head, comma, data = url.partition(",")
    if not head.startswith("data:") or not head.endswith(";base64") or not comma:
        return url
    media_type = head.removeprefix("data:").removesuffix(";base64").partition(";")[0] or "application/octet-stream"
    try:
        content = base64.b64decode(data, validate=True)
    except binascii.Error:
        return url
    number = len(attachments) + 1
    own_suffix = Path(str(name)).suffix if name else ""
    suffix = own_suffix if own_suffix[1:].isalnum() else mimetypes.guess_extension(media_type) or ".bin"
    attachments.append(Attachment(f"attachment-{number}{suffix}", media_type, content))
    return f"(see the file attachment-{number}{suffix})"
