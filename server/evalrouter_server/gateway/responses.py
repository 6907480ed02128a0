"""The wire of OpenAI Responses.

Reference: https://platform.openai.com/docs/api-reference/responses and .../responses-streaming
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from evalrouter_server.gateway.chat import openai_error
from evalrouter_server.gateway.responses_request import prepare
from evalrouter_server.gateway.routing import RunRoute, Upstream
from evalrouter_server.gateway.sse import Event
from evalrouter_server.gateway.upstream import Lost, bearer, refused_within_answer
from evalrouter_server.gateway.usage import RESPONSES_USAGE, Report, UsageRule, find_report, read_report
from evalrouter_server.gateway.wire import Answer, Prepared, StreamReader, decode_event, name_of, sse_event

_ENDED = ("response.completed", "response.incomplete", "response.failed")


class ResponsesWire:
    """Responses, streamed and not."""

    name = "responses"

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
        report = _report(answer, upstream)
        output = answer.get("output")
        if answer.get("error") and report is None:
            raise refused_within_answer(answer, upstream)
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise Lost("upstream_malformed_answer", "the answer has no output")
        return Answer(
            text="".join(_texts(output, "message")),
            finish_reason=_finish_reason(answer),
            report=report,
            model_served=name_of(answer.get("model")),
            writes=tuple(_writes(output)),
            raw=answer,
        )

    def reader(self, prepared: Prepared, upstream: Upstream) -> StreamReader:
        """Follow a stream."""
        return ResponsesStreamReader(self, upstream)

    def error(
        self, *, code: str, message: str, status: int, param: str | None = None, kind: str | None = None
    ) -> dict[str, Any]:
        """An error in OpenAI's form."""
        return openai_error(code=code, message=message, status=status, param=param, kind=kind)

    def error_event(self, *, code: str, message: str, status: int) -> bytes:
        """An error within a stream: the event `error`."""
        return sse_event({"type": "error", "code": code, "message": message, "param": None}, name="error")


class ResponsesStreamReader:
    """Follows one stream; its last event holds the whole response.

    Args:
        wire: Reads the response.
        upstream: The endpoint.
    """

    def __init__(self, wire: ResponsesWire, upstream: Upstream) -> None:
        self._wire = wire
        self._upstream = upstream
        self._response: Mapping[str, Any] | None = None
        self._has_output = False

    @property
    def ended(self) -> bool:
        """Whether the event with the whole response has come."""
        return self._response is not None

    def feed(self, event: Event) -> bytes | None:
        """Take an event; see `StreamReader.feed`."""
        if event.data is None or event.data.strip() == "[DONE]":
            return event.raw
        data = decode_event(event.data)
        kind = data.get("type") or event.name
        if kind == "error" or ("error" in data and kind is None):
            refused = refused_within_answer({"error": data.get("error") or data}, self._upstream)
            if self._has_output:
                raise Lost("upstream_failed", refused.message)
            raise refused
        if kind in _ENDED and isinstance(data.get("response"), dict):
            self._response = data["response"]
        self._has_output |= isinstance(kind, str) and kind.startswith("response.output")
        return event.raw

    def finish(self) -> Answer:
        """What the stream said; see `StreamReader.finish`."""
        if self._response is None:
            raise Lost("upstream_truncated_answer", "the stream ended before the answer did")
        return self._wire.read(self._response, self._upstream)


def _report(answer: Mapping[str, Any], upstream: Upstream) -> Report | None:
    own = upstream.dialect.usage
    rule: UsageRule = replace(RESPONSES_USAGE, cost=own.cost, cost_units_per_usd=own.cost_units_per_usd)
    return read_report(find_report(answer), rule)


def _finish_reason(answer: Mapping[str, Any]) -> str | None:
    """In the words of chat completions, which graders know."""
    details = answer.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    if reason == "max_output_tokens":
        return "length"
    return name_of(reason) or ("stop" if answer.get("status") == "completed" else name_of(answer.get("status")))


def _texts(output: list[Any], kind: str) -> Iterator[str]:
    for item in output:
        for part in item.get("content") or () if item.get("type") == kind else ():
            if isinstance(part, Mapping) and isinstance(text := part.get("text") or part.get("refusal"), str):
                yield text


def _writes(output: list[Any]) -> Iterator[str]:
    """Every text that the model wrote."""
    yield from _texts(output, "message")
    yield from _texts(output, "reasoning")
    for item in output:
        if item.get("type") not in ("message", "reasoning"):
            yield json.dumps(item, ensure_ascii=False)
