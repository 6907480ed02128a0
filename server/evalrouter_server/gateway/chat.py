"""The wire of OpenAI Chat Completions.

Reference: https://platform.openai.com/docs/api-reference/chat
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from evalrouter_server.gateway.chat_request import prepare
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.sse import Event
from evalrouter_server.gateway.upstream import Lost, bearer, refused_within_answer
from evalrouter_server.gateway.usage import find_report, read_report
from evalrouter_server.gateway.wire import Answer, Prepared, StreamReader, decode_event, name_of, sse_event

_DONE = "[DONE]"


class ChatWire:
    """Chat Completions, streamed and not."""

    name = "chat"

    def prepare(self, body: Mapping[str, Any], route: RunRoute, upstream: Upstream) -> Prepared:
        """Check, bound and complete a request; see `Wire.prepare`."""
        return prepare(body, route, upstream)

    def headers(self, upstream: Upstream, given: Mapping[str, str]) -> dict[str, str]:
        """The provider's key; see `Wire.headers`."""
        return bearer(upstream)

    def read(self, answer: Any, upstream: Upstream) -> Answer:
        """Read a whole answer; see `Wire.read`."""
        if not isinstance(answer, dict):
            raise Lost("upstream_malformed_answer", "the answer is not a JSON object")
        report = read_report(find_report(answer), upstream.dialect.usage)
        choices = answer.get("choices")
        if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
            if answer.get("error") and report is None:
                raise refused_within_answer(answer, upstream)
            raise Lost("upstream_malformed_answer", "the answer has no choices")
        messages = [choice.get("message") for choice in choices]
        first = messages[0] if isinstance(messages[0], dict) else {}
        return Answer(
            text=_text(first.get("content")),
            finish_reason=name_of(choices[0].get("finish_reason")),
            report=report,
            model_served=name_of(answer.get("model")),
            writes=tuple(text for message in messages for text in _writes(message)),
            raw=answer,
        )

    def reader(self, prepared: Prepared, upstream: Upstream) -> StreamReader:
        """Follow a stream."""
        return ChatStreamReader(upstream, shows_usage=prepared.shows_usage)

    def error(
        self, *, code: str, message: str, status: int, param: str | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """An error in OpenAI's form."""
        return openai_error(code=code, message=message, status=status, param=param, kind=kind)

    def error_event(self, *, code: str, message: str, status: int) -> bytes:
        """An error within a stream: a chunk that is one."""
        return sse_event(self.error(code=code, message=message, status=status))


def openai_error(*, code: str, message: str, status: int, param: str | None, kind: str | None) -> dict[str, Any]:
    """An error in OpenAI's form: https://platform.openai.com/docs/guides/error-codes."""
    by_status = {401: "authentication_error", 402: "insufficient_quota", 429: "rate_limit_error"}
    kind = kind or by_status.get(status) or ("invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


class ChatStreamReader:
    """Follows the chunks of one stream and adds up what they say.

    Args:
        upstream: The endpoint.
        shows_usage: Whether the caller asked for the chunk that has only the usage.
    """

    def __init__(self, upstream: Upstream, *, shows_usage: bool) -> None:
        self._upstream = upstream
        self._shows_usage = shows_usage
        self._contents: defaultdict[int, list[str]] = defaultdict(list)
        self._others: list[str] = []
        self._finish_reasons: dict[int, str] = {}
        self._usage: Mapping[str, Any] | None = None
        self._model: str | None = None
        self._done = False

    @property
    def ended(self) -> bool:
        """Whether `[DONE]` has come."""
        return self._done

    def feed(self, event: Event) -> bytes | None:
        """Take an event; see `StreamReader.feed`."""
        if event.data is None:
            return event.raw
        if event.data.strip() == _DONE:
            self._done = True
            return event.raw
        chunk = decode_event(event.data)
        self._model = name_of(chunk.get("model")) or self._model
        report = find_report(chunk)
        self._usage = report or self._usage
        choices = chunk.get("choices")
        choices = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
        if chunk.get("error") and not choices:
            if self._contents or self._others:
                raise Lost("upstream_failed", refused_within_answer(chunk, self._upstream).message)
            raise refused_within_answer(chunk, self._upstream)
        for choice in choices:
            self._add(choice)
        if report is not None and not choices and not self._shows_usage:
            return None
        return event.raw

    def finish(self) -> Answer:
        """What the stream said; see `StreamReader.finish`."""
        if not self._done and not self._is_finished():
            raise Lost("upstream_truncated_answer", "the stream ended before the answer did")
        texts = {index: "".join(parts) for index, parts in self._contents.items()}
        choices = [
            {
                "index": index,
                "message": {"role": "assistant", "content": texts.get(index, "")},
                "finish_reason": self._finish_reasons.get(index),
            }
            for index in sorted({0, *texts, *self._finish_reasons})
        ]
        return Answer(
            text=texts.get(0, ""),
            finish_reason=self._finish_reasons.get(0),
            report=read_report(self._usage, self._upstream.dialect.usage),
            model_served=self._model,
            writes=(*texts.values(), "".join(self._others)),
            raw={"model": self._model, "choices": choices, "usage": self._usage},
        )

    def _is_finished(self) -> bool:
        return bool(self._finish_reasons) and self._contents.keys() <= self._finish_reasons.keys()

    def _add(self, choice: Mapping[str, Any]) -> None:
        index = choice.get("index")
        index = index if isinstance(index, int) else 0
        if reason := name_of(choice.get("finish_reason")):
            self._finish_reasons[index] = reason
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return
        if content := _text(delta.get("content")):
            self._contents[index].append(content)
        self._others.extend(_writes({name: value for name, value in delta.items() if name != "content"}))


def _writes(message: Any) -> Iterable[str]:
    """Every text of a message or delta that the model wrote."""
    if not isinstance(message, Mapping):
        return
    for name in ("content", "reasoning_content", "reasoning", "refusal"):
        if text := _text(message.get(name)):
            yield text
    for name in ("tool_calls", "function_call"):
        if calls := message.get(name):
            yield json.dumps(calls, ensure_ascii=False)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(part for part in parts if isinstance(part, str))
    return ""
