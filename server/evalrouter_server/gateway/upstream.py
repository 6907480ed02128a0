"""Requests to providers: one try each, with what went wrong sorted by what it means for the bill."""

import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from evalrouter_server.clock import utc_now
from evalrouter_server.gateway.json_text import decode
from evalrouter_server.gateway.routing import Upstream

SECONDS_TO_CONNECT = 15.0
SECONDS_IDLE = 3.0
"""An idle connection is closed before a server would close it: a request that meets the server closing it is lost."""

LARGEST_ANSWER_BYTES = 64 * 1024 * 1024
LARGEST_ERROR_BYTES = 64 * 1024

RETRYABLE_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Besides these, no refusal is tried again."""

_FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of a 429 that no waiting helps against."""


class TryFailed(Exception):
    """One try came to nothing.

    Args:
        code: A stable code.
        message: What happened, without keys, prompts or payloads.
        retryable: Whether another try may go better.
        retry_after: Seconds that the provider asks to wait.
    """

    def __init__(self, code: str, message: str, *, retryable: bool, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after = retry_after


class NotSent(TryFailed):
    """No connection came about, so nothing was asked for and nothing is owed."""

    def __init__(self, message: str) -> None:
        super().__init__("upstream_unreachable", message, retryable=True)


class Lost(TryFailed):
    """It was sent, and nobody knows what the provider did with it."""

    def __init__(self, code: str, message: str, *, http_status: int | None = None) -> None:
        super().__init__(code, message, retryable=True)
        self.http_status = http_status


class Refused(TryFailed):
    """The provider answered with an error.

    Args:
        error: What it said.
        retry_after: Seconds that it asks to wait.
    """

    def __init__(self, error: "ProviderError", retry_after: float | None = None) -> None:
        retryable = error.status in RETRYABLE_STATUSES and error.code not in _FINAL_CODES
        super().__init__("upstream_refused", error.summary, retryable=retryable, retry_after=retry_after)
        self.error = error


@dataclass(frozen=True, slots=True)
class ProviderError:
    """A provider's error.

    Attributes:
        status: The HTTP status, or the one that an error inside an answer of 200 names.
        code: Its code, if any.
        type: Its type, if any.
        param: The request's field that it is about, if any.
        message: Its words, the endpoint's key cut out. It may quote the request: for the one who sent it, not for
            records.
    """

    status: int
    code: str | None
    type: str | None
    param: str | None
    message: str

    @property
    def summary(self) -> str:
        """What can be recorded."""
        facts = ", ".join(
            f"{name} {value}"
            for name, value in (("code", self.code), ("type", self.type), ("field", self.param))
            if value
        )
        return f"the provider answered HTTP {self.status}" + (f" ({facts})" if facts else "")


def provider_error(status: int, body: Any, upstream: Upstream) -> ProviderError:
    """Read a provider's error, whatever its form.

    Args:
        status: The HTTP status.
        body: The decoded JSON, or anything else.
        upstream: The endpoint, whose key is cut out of every text.
    """
    error = body[0] if isinstance(body, list) and body else body
    error = error.get("error", error) if isinstance(error, Mapping) else error
    fields = error if isinstance(error, Mapping) else {"message": error}

    def text(name: str, longest: int) -> str | None:
        value = fields.get(name)
        if not isinstance(value, str | int) or isinstance(value, bool):
            return None
        plain = str(value)
        if upstream.api_key:
            plain = plain.replace(upstream.api_key, "[key]")
        return plain[:longest]

    return ProviderError(
        status, text("code", 80), text("type", 80), text("param", 80), text("message", 2000) or f"HTTP {status}"
    )


def refused_within_answer(answer: Mapping[str, Any], upstream: Upstream) -> Refused:
    """The refusal that an error inside an answer of HTTP 200 stands for.

    Args:
        answer: What holds the error under `error`.
        upstream: The endpoint.
    """
    error = answer["error"]
    status = error.get("code") if isinstance(error, Mapping) else None
    if not isinstance(status, int) or not 400 <= status < 600:
        status = 502
    return Refused(provider_error(status, answer, upstream))


def bearer(upstream: Upstream) -> dict[str, str]:
    """The header that carries the endpoint's key; none where it wants none."""
    return {"Authorization": f"Bearer {upstream.api_key}"} if upstream.api_key else {}


class UpstreamClient:
    """Sends requests to providers over kept-alive connections. Close it when done."""

    def __init__(self) -> None:
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    @contextlib.asynccontextmanager
    async def post(
        self, upstream: Upstream, path: str, body: Mapping[str, Any], *, headers: Mapping[str, str], seconds: float
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send one request and give the response once its head has come.

        Args:
            upstream: Where to.
            path: Below the endpoint's root, with a leading slash.
            body: The JSON body.
            headers: What is sent besides the content's type.
            seconds: The most time until the last byte of the answer.

        Raises:
            NotSent: No connection came about.
            Refused: The head has an error status.
            Lost: The connection broke, or the time was over; also raised for what happens while the response is read.
        """
        encoded = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        timeout = aiohttp.ClientTimeout(total=max(seconds, 0.001), sock_connect=SECONDS_TO_CONNECT)
        try:
            async with self._session(upstream).post(
                f"{upstream.base_url.rstrip('/')}{path}",
                data=encoded,
                headers={**headers, "Content-Type": "application/json"},
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                if not 200 <= response.status < 300:
                    raise await _refusal(response, upstream)
                yield response
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL) as error:
            raise NotSent(f"the endpoint could not be reached ({type(error).__name__})") from None
        except TimeoutError:
            raise Lost("upstream_timeout", f"no whole answer came within {seconds:.0f} seconds") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            raise Lost("upstream_connection_lost", f"the connection broke ({type(error).__name__})") from None

    async def close(self) -> None:
        """Close the connections."""
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _session(self, upstream: Upstream) -> aiohttp.ClientSession:
        """The session; the environment's proxy is for the world outside, not for this machine."""
        outside = urlsplit(upstream.base_url).hostname not in ("127.0.0.1", "localhost", "::1")
        if outside not in self._sessions:
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=SECONDS_IDLE)
            self._sessions[outside] = aiohttp.ClientSession(
                connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=outside
            )
        return self._sessions[outside]


async def read_json(response: aiohttp.ClientResponse) -> Any:
    """The whole answer, decoded.

    Raises:
        Lost: It is too large, or not JSON.
    """
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > LARGEST_ANSWER_BYTES:
            raise Lost("upstream_answer_too_large", f"the answer has more than {LARGEST_ANSWER_BYTES} bytes")
    try:
        return decode(content)
    except ValueError:
        raise Lost(
            "upstream_malformed_answer",
            f"the answer is not JSON ({len(content)} bytes)",
            http_status=response.status,
        ) from None


async def _refusal(response: aiohttp.ClientResponse, upstream: Upstream) -> Refused:
    content = bytearray()
    with contextlib.suppress(aiohttp.ClientError, TimeoutError):
        async for chunk in response.content.iter_any():
            content += chunk
            if len(content) > LARGEST_ERROR_BYTES:
                break
    try:
        body = decode(content)
    except ValueError:
        body = None
    return Refused(provider_error(response.status, body, upstream), retry_after(response.headers))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a provider asks to wait, from `retry-after-ms` or `Retry-After` (RFC 9110, 10.2.3).

    Args:
        headers: The response's headers.
        now: The time that a date is compared with; the present by default.
    """
    if "retry-after-ms" in headers:
        with contextlib.suppress(ValueError):
            return _plausible(float(headers["retry-after-ms"]) / 1000)
    value = headers.get("Retry-After")
    if value is None:
        return None
    with contextlib.suppress(ValueError):
        return _plausible(float(value))
    with contextlib.suppress(ValueError, TypeError):
        return max((parsedate_to_datetime(value) - (now or utc_now())).total_seconds(), 0.0)
    return None


def _plausible(seconds: float) -> float | None:
    return seconds if 0 <= seconds < 10**7 else None
