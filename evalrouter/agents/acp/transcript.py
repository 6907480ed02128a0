"""What an agent says while it works, and which part of it is the answer."""

from typing import Any

ANSWER_CHARACTERS = 1_000_000
"""The longest answer; what an agent says beyond it is left out."""


class Transcript:
    """Keeps of an agent's updates what may be its answer.

    The answer is the text of the last run of `agent_message_chunk`s that share a message ID. Where no chunk has an ID
    it is the text after the last tool call; where there is none after it, the text before it. Agents that give IDs put
    warnings into chunks without one, so those do not count as soon as one chunk has an ID. Updates of other kinds
    change nothing, known or not.

    Attributes:
        tool_calls: How many tools it said that it uses.
        updates: How many updates there were.
    """

    def __init__(self) -> None:
        self.tool_calls = 0
        self.updates = 0
        self._message_id: str | None = None
        self._text: list[str] = []
        self._length = 0
        self._after_tool = False

    def add(self, params: dict[str, Any]) -> None:
        """Takes one `session/update`.

        Args:
            params: Its parameters, of whatever form.
        """
        self.updates += 1
        update = params.get("update")
        if not isinstance(update, dict):
            return
        kind = update.get("sessionUpdate")
        if kind == "tool_call":
            self.tool_calls += 1
            self._after_tool = True
        elif kind == "agent_message_chunk":
            content = update.get("content")
            text = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
            message_id = update.get("messageId")
            if isinstance(text, str) and text:
                self._say(text, message_id if isinstance(message_id, str) and message_id else None)

    def answer(self) -> str:
        """The answer as far as it was said, without surrounding white space; empty where nothing was said."""
        text = "".join(self._text).strip()
        return text.encode(errors="replace").decode()  # half a surrogate pair is no text

    def _say(self, text: str, message_id: str | None) -> None:
        if message_id != self._message_id:
            if message_id is None:
                return
            self._begin(message_id)
        elif message_id is None and self._after_tool and text.strip():
            self._begin(None)
        kept = text[: ANSWER_CHARACTERS - self._length]
        self._text.append(kept)
        self._length += len(kept)

    def _begin(self, message_id: str | None) -> None:
        self._message_id = message_id
        self._text.clear()
        self._length = 0
        self._after_tool = False
