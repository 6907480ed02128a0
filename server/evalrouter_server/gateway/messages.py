"""The wire of Anthropic Messages.

Reference: https://platform.claude.com/docs/en/api/messages and .../build-with-claude/streaming
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evalrouter_server.gateway.messages_request import prepare
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.sse import Event
from evalrouter_server.gateway.upstream import Lost, bearer, refused_within_answer
from evalrouter_server.gateway.usage import MESSAGES_USAGE, Report, UsageRule, find_report, read_report
from evalrouter_server.gateway.wire import Answer, Prepared, StreamReader, decode_event, name_of, sse_event

VERSION = "2023-06-01"

_FREE_BETAS = (
    "claude-code-",
    "context-management-",
    "effort-",
    "fine-grained-tool-streaming-",
    "interleaved-thinking-",
    "output-128k-",
    "prompt-caching-2024",
    "redact-thinking-",
    "structured-outputs-",
    "token-efficient-tools-",
    "tool-examples-",
)
"""How the names of betas begin that change neither the price nor what a call may use; others are not passed on."""

_KINDS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_FINISH_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"}
"""In the words of chat completions, which graders know."""


class MessagesWire:
    """Messages, streamed and not."""

    name = "messages"

    def prepare(self, body: Mapping[str, Any], route: RunRoute, upstream: Upstream) -> Prepared:
        """Check, bound and complete a request; see `Wire.prepare`."""
        return prepare(body, route, upstream)

    def headers(self, upstream: Upstream, given: Mapping[str, str]) -> dict[str, str]:
        """The provider's key, the interface's version and the betas that cost nothing; see `Wire.headers`."""
        names = [name.strip() for name in given.get("anthropic-beta", "").split(",")]
        betas = ",".join(name for name in names if name.startswith(_FREE_BETAS))
        headers = {"anthropic-version": given.get("anthropic-version", VERSION)}
        if betas:
            headers["anthropic-beta"] = betas
        if upstream.api_key:
            headers["x-api-key"] = upstream.api_key
        return headers if upstream.dialect.is_anthropic else headers | bearer(upstream)

    def read(self, answer: Any, upstream: Upstream) -> Answer:
        """Read a whole answer; see `Wire.read`."""
        if not isinstance(answer, dict):
            raise Lost("upstream_malformed_answer", "the answer is not a JSON object")
        report = _report(answer, upstream)
        if answer.get("error") and report is None:
            raise refused_within_answer(answer, upstream)
        blocks = answer.get("content")
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise Lost("upstream_malformed_answer", "the answer has no content")
        stopped = name_of(answer.get("stop_reason"))
        return Answer(
            text="".join(text for block in blocks if isinstance(text := block.get("text"), str)),
            finish_reason=None if stopped is None else _FINISH_REASONS.get(stopped, stopped),
            report=report,
            model_served=name_of(answer.get("model")),
            writes=tuple(_written(block) for block in blocks),
            raw=answer,
        )

    def reader(self, prepared: Prepared, upstream: Upstream) -> StreamReader:
        """Follow a stream."""
        return MessagesStreamReader(self, upstream)

    def error(
        self, *, code: str, message: str, status: int, param: str | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """An error in Anthropic's form (https://platform.claude.com/docs/en/api/errors), with the code beside it."""
        kind = kind or _KINDS.get(status) or ("invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message, "code": code, "param": param}}

    def error_event(self, *, code: str, message: str, status: int) -> bytes:
        """An error within a stream: the event `error`."""
        return sse_event(self.error(code=code, message=message, status=status), name="error")


class MessagesStreamReader:
    """Follows one stream and puts the message together again.

    Args:
        wire: Reads the message.
        upstream: The endpoint.
    """

    def __init__(self, wire: MessagesWire, upstream: Upstream) -> None:
        self._wire = wire
        self._upstream = upstream
        self._message: dict[str, Any] | None = None
        self._blocks: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, Any] = {}
        self._stop_reason: str | None = None
        self._stopped = False

    @property
    def ended(self) -> bool:
        """Whether `message_stop` has come."""
        return self._stopped

    def feed(self, event: Event) -> bytes | None:
        """Take an event; see `StreamReader.feed`."""
        if event.data is None or event.data.strip() == "[DONE]":
            return event.raw
        data = decode_event(event.data)
        match data.get("type") or event.name:
            case "error":
                refused = refused_within_answer(data, self._upstream)
                if self._blocks:
                    raise Lost("upstream_failed", refused.message)
                raise refused
            case "message_start" if isinstance(data.get("message"), dict):
                self._message = data["message"]
                self._count(self._message.get("usage"))
            case "content_block_start" if isinstance(data.get("content_block"), dict):
                self._blocks[_index(data)] = dict(data["content_block"])
            case "content_block_delta" if isinstance(data.get("delta"), dict):
                self._add(_index(data), data["delta"])
            case "message_delta":
                delta = data.get("delta")
                self._stop_reason = name_of(delta.get("stop_reason")) if isinstance(delta, dict) else None
                self._count(data.get("usage"))
            case "message_stop":
                self._stopped = True
        return event.raw

    def finish(self) -> Answer:
        """What the stream said; see `StreamReader.finish`."""
        if self._message is None or not (self._stopped or self._stop_reason):
            raise Lost("upstream_truncated_answer", "the stream ended before the answer did")
        whole = {
            "content": [block for _, block in sorted(self._blocks.items())],
            "stop_reason": self._stop_reason,
            "usage": self._usage or None,
        }
        return self._wire.read(self._message | whole, self._upstream)

    def _count(self, usage: Any) -> None:
        """Counts are running totals: a later one takes the place of an earlier one."""
        if isinstance(usage, dict):
            self._usage |= {name: count for name, count in usage.items() if count is not None}

    def _add(self, index: int, delta: Mapping[str, Any]) -> None:
        block = self._blocks.setdefault(index, {"type": "text"})
        for name in ("text", "thinking", "partial_json"):
            if isinstance(delta.get(name), str):
                block[name] = str(block.get(name) or "") + delta[name]


def _report(answer: Mapping[str, Any], upstream: Upstream) -> Report | None:
    own = upstream.dialect.usage
    rule: UsageRule = replace(MESSAGES_USAGE, cost=own.cost, cost_units_per_usd=own.cost_units_per_usd)
    return read_report(find_report(answer), rule)


def _index(data: Mapping[str, Any]) -> int:
    index = data.get("index")
    return index if isinstance(index, int) else 0


def _written(block: Mapping[str, Any]) -> str:
    text = block.get("text") or block.get("thinking")
    return text if isinstance(text, str) else json.dumps(block, ensure_ascii=False)
