"""The HTTP client of a remote agent: it goes only where the operator said, carries the key, and bounds answers."""

from collections.abc import AsyncIterator
from urllib.request import getproxies, proxy_bypass

import httpx

from evalrouter_server.remote_agents.address import Header, origin_of

CONNECT_SECONDS = 15.0

MOST_REDIRECTS = 3

LARGEST_ANSWER_BYTES = 16 * 1024 * 1024
"""Of an answer, or of one line of a stream."""

LARGEST_STREAM_BYTES = 256 * 1024 * 1024


class ForeignOrigin(httpx.RequestError):
    """The agent led to an origin that the operator did not name."""

    def __init__(self, origin: str) -> None:
        super().__init__(f"it leads to {origin or 'no address'}")
        self.origin = origin


class AnswerTooLarge(httpx.RequestError):
    """An answer went on beyond its bound."""


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends to the allowed origins only, redirects included; the key is put on here and is nowhere else.

    Args:
        allowed: The origins.

    Attributes:
        credential: The header with the key; None: there is none, or it is not wanted yet.
    """

    def __init__(self, allowed: frozenset[str]) -> None:
        self._allowed = allowed
        self._ways: dict[str | None, httpx.AsyncHTTPTransport] = {}
        self.credential: Header | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request.

        Raises:
            ForeignOrigin: It leads elsewhere.
        """
        origin = origin_of(str(request.url))
        if origin not in self._allowed:
            raise ForeignOrigin(origin)
        headers = httpx.Headers(request.headers)
        headers["Accept-Encoding"] = "identity"
        if self.credential is not None:
            name, value = self.credential
            headers[name] = value
        sent = httpx.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        response = await self._way_to(request.url).handle_async_request(sent)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        if response.headers.get("content-encoding", "identity").casefold() != "identity":
            await response.aclose()
            raise AnswerTooLarge("its answer is compressed, which was not asked for")
        is_stream = "text/event-stream" in response.headers.get("content-type", "")
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(response.stream, is_stream=is_stream),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        for way in self._ways.values():
            await way.aclose()

    def _way_to(self, url: httpx.URL) -> httpx.AsyncHTTPTransport:
        """Directly, or by the environment's proxy, which is for the world outside, not for this machine."""
        is_here = url.host in ("127.0.0.1", "localhost", "::1")
        proxy = None if is_here or proxy_bypass(url.host) else getproxies().get(url.scheme)
        if proxy not in self._ways:
            self._ways[proxy] = httpx.AsyncHTTPTransport(proxy=proxy, limits=httpx.Limits(max_connections=None))
        return self._ways[proxy]


class _Bounded(httpx.AsyncByteStream):
    """The bytes of an answer up to its bound; of a stream of events each line has one of its own."""

    def __init__(self, inner: httpx.AsyncByteStream, *, is_stream: bool) -> None:
        self._inner = inner
        self._is_stream = is_stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = line = 0
        async for chunk in self._inner:
            received += len(chunk)
            ends_at = chunk.rfind(b"\n") if self._is_stream else -1
            line = line + len(chunk) if ends_at < 0 else len(chunk) - ends_at
            if line > LARGEST_ANSWER_BYTES or received > LARGEST_STREAM_BYTES:
                raise AnswerTooLarge("its answer is too large")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def new_client(transport: GuardedTransport) -> httpx.AsyncClient:
    """A client over the guarded transport, past which nothing goes; how long an answer may take is the caller's."""
    timeout = httpx.Timeout(CONNECT_SECONDS, read=None)
    return httpx.AsyncClient(
        transport=transport,
        timeout=timeout,
        trust_env=False,
        follow_redirects=True,
        max_redirects=MOST_REDIRECTS,
        headers={"User-Agent": "evalrouter"},
    )
