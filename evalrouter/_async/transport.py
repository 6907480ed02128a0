"""The one place where the client does I/O: connections, retries, deadlines, idempotency keys and errors."""

import sys
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any
from uuid import uuid4

import httpx
from httpx_sse import EventSource, SSEError
from tenacity import AsyncRetrying, retry_if_exception

from evalrouter.concurrency import AsyncRuntime, AsyncStream
from evalrouter.convert.events import event_of_stream
from evalrouter.convert.problems import status_error
from evalrouter.convert.request import Request
from evalrouter.endpoints import Endpoint, Endpoints
from evalrouter.errors import (
    InvalidArgumentError,
    RequestTimeoutError,
    ServerAnswerError,
    ServerConnectionError,
)
from evalrouter.retry import Deadline, RetryPolicy, parse_retry_after
from evalrouter.types import RunEvent
from evalrouter.version import __version__

CONNECT_SECONDS = 10.0
FETCH_SECONDS = 600.0
"""The least time for a quote or a new run: the server may first have to fetch the benchmark's data."""
QUIET_SECONDS = 35.0
"""How long a stream may send nothing; the server sends a comment every 10 seconds."""

USER_AGENT = f"evalrouter-sdk/{__version__} python/{sys.version_info.major}.{sys.version_info.minor}"


class AsyncTransport:
    """Sends requests and reads answers.

    Args:
        endpoints: Where the server is.
        timeout: Seconds that a request may take, retries and pauses included; a quote or a new run has `FETCH_SECONDS`.
        max_retries: Tries after the first.
        runtime: Time, chance and threads.
    """

    def __init__(
        self, endpoints: Endpoints, *, timeout: float, max_retries: int, runtime: AsyncRuntime | None = None
    ) -> None:
        self.endpoints = endpoints
        self.timeout = timeout
        self.max_retries = max_retries
        self.runtime = runtime or AsyncRuntime()
        self._endpoint: Endpoint | None = None
        self._pool: httpx.AsyncClient | None = None
        self._pool_owner: tuple[int, object] | None = None

    async def send[T](self, request: Request[T]) -> T:
        """Sends a request and reads its answer.

        Raises:
            StatusError: The server refused; the subclass says why.
            TransportError: No usable answer came back in time.
        """
        headers = {"Idempotency-Key": uuid4().hex} if request.is_write else {}
        seconds = max(self.timeout, FETCH_SECONDS) if request.may_fetch else self.timeout
        deadline = Deadline.after(self.runtime.monotonic, seconds)

        async def attempt() -> httpx.Response:
            response = await self._open(request.arguments, headers, deadline)
            try:
                await response.aread()
            except httpx.RequestError as error:
                raise self._failure(error) from None
            finally:
                await response.aclose()
            return response

        return request.read(await self._retried(attempt, deadline))

    async def stream_bytes(self, arguments: Mapping[str, Any]) -> AsyncStream[bytes]:
        """The body of an answer as it arrives. Once it has begun it is never asked for again.

        Raises:
            StatusError: The server refused.
            TransportError: No usable answer, or the connection was lost in its middle.
        """
        response = await self._opened(arguments, {})
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        except httpx.RequestError as error:
            raise self._failure(error) from None
        finally:
            await response.aclose()

    async def stream_events(self, arguments: Mapping[str, Any], until: Deadline | None = None) -> AsyncStream[RunEvent]:
        """The events of one connection to a run's event stream.

        Args:
            arguments: The request.
            until: When to stop listening, to the accuracy of the server's comments.

        Raises:
            StatusError: The server refused.
            TransportError: No usable answer, or the connection was lost.
        """
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        response = await self._opened(arguments, headers)
        if until is not None:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _EndingStream(response.stream, lambda: until.has_passed)
        try:
            async for message in EventSource(response).aiter_sse():
                if message.data:
                    yield event_of_stream(message.data)
        except httpx.RequestError as error:
            raise self._failure(error) from None
        except (SSEError, ValueError, KeyError, TypeError) as error:
            raise ServerAnswerError(
                f"The server's event stream does not fit the contract ({type(error).__name__})."
            ) from None
        finally:
            await response.aclose()

    async def endpoint(self) -> Endpoint:
        """Where the server is; starts the embedded one where that is meant."""
        if self._endpoint is None:
            self._endpoint = await self.runtime.in_thread(self.endpoints.current)
        return self._endpoint

    async def aclose(self) -> None:
        """Closes the connections and gives the server up; using the transport again opens both anew."""
        pool, owner = self._pool, self._pool_owner
        self._pool = self._pool_owner = self._endpoint = None
        if pool is not None and owner == self.runtime.owner():
            await pool.aclose()
        await self.runtime.in_thread(self.endpoints.close)

    async def _opened(self, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> httpx.Response:
        deadline = Deadline.after(self.runtime.monotonic, self.timeout)

        async def attempt() -> httpx.Response:
            return await self._open(arguments, headers, deadline, QUIET_SECONDS)

        return await self._retried(attempt, deadline)

    async def _retried(self, attempt: Callable[[], Any], deadline: Deadline) -> httpx.Response:
        policy = RetryPolicy(self.max_retries, deadline, self.runtime.random)
        retrying = AsyncRetrying(
            sleep=self.runtime.sleep,
            retry=retry_if_exception(policy.wants_retry),
            wait=policy.wait,
            stop=policy.stop,
            reraise=True,
        )
        response: httpx.Response = await retrying(attempt)
        return response

    async def _open(
        self,
        arguments: Mapping[str, Any],
        headers: Mapping[str, str],
        deadline: Deadline,
        quiet_seconds: float | None = None,
    ) -> httpx.Response:
        """One try: an answer of success whose body is still to be read."""
        endpoint = await self.endpoint()
        pool = self._current_pool(endpoint)
        rest = deadline.shorten(FETCH_SECONDS)
        timeout = httpx.Timeout(rest, connect=min(rest, CONNECT_SECONDS), read=quiet_seconds or rest)
        try:
            request = pool.build_request(
                arguments["method"],
                endpoint.base_url + arguments["url"],
                params=arguments.get("params"),
                json=arguments.get("json"),
                content=arguments.get("content"),
                headers={**_headers(endpoint), **arguments.get("headers", {}), **headers},
                timeout=timeout,
            )
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(
                f"A text holds {error.object[error.start]!r}, which cannot be sent: pass text that is valid Unicode."
            ) from None
        try:
            response = await pool.send(request, stream=True)
        except httpx.ConnectError as error:
            self._endpoint = await self.runtime.in_thread(self.endpoints.replace, endpoint)
            raise self._failure(error) from None
        except httpx.RequestError as error:
            raise self._failure(error) from None
        if quiet_seconds is None:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _EndingStream(response.stream, lambda: deadline.has_passed, self._too_late)
        if response.is_success:
            return response
        return await self._refuse(response)

    async def _refuse(self, response: httpx.Response) -> httpx.Response:
        try:
            await response.aread()
        except httpx.RequestError as error:
            raise self._failure(error) from None
        finally:
            await response.aclose()
        refusal = status_error(response)
        refusal.retry_after = parse_retry_after(response.headers.get("retry-after"))
        raise refusal

    def _current_pool(self, endpoint: Endpoint) -> httpx.AsyncClient:
        """The connections of this process and loop; those of a parent process are left alone, not closed.

        Loading the certificates takes longer than most requests, so it is left out where there is no TLS to check.
        """
        owner = self.runtime.owner()
        if self._pool is None or owner != self._pool_owner:
            has_tls = endpoint.base_url.startswith("https:")
            self._pool, self._pool_owner = httpx.AsyncClient(follow_redirects=False, verify=has_tls), owner
        return self._pool

    def _failure(self, error: httpx.RequestError) -> RequestTimeoutError | ServerConnectionError:
        where = self._endpoint.base_url if self._endpoint else "the server"
        if isinstance(error, httpx.ConnectTimeout):
            return ServerConnectionError(
                f"{where} did not accept a connection in time. Check the address and the network."
            )
        if isinstance(error, httpx.TimeoutException):
            return self._too_late()
        reason = str(error) or type(error).__name__
        return ServerConnectionError(f"The connection to {where} failed: {reason}. Check that the server runs.")

    def _too_late(self) -> RequestTimeoutError:
        where = self._endpoint.base_url if self._endpoint else "The server"
        return RequestTimeoutError(
            f"{where} did not answer within {self.timeout:g} seconds ({FETCH_SECONDS:g} for a quote or a new run). "
            "It may still do what was asked: repeating the call is safe. A larger timeout= waits longer."
        )


class _EndingStream(httpx.AsyncByteStream):
    """A body that ends, or fails, once a moment has passed, however slowly it drips."""

    def __init__(
        self,
        stream: httpx.AsyncByteStream,
        is_over: Callable[[], bool],
        failure: Callable[[], Exception] | None = None,
    ) -> None:
        self._stream = stream
        self._is_over = is_over
        self._failure = failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk
            if self._is_over():
                if self._failure is not None:
                    raise self._failure()
                return

    async def aclose(self) -> None:
        await self._stream.aclose()


def _headers(endpoint: Endpoint) -> dict[str, str]:
    workspace = {"EvalRouter-Workspace": endpoint.workspace_id} if endpoint.workspace_id else {}
    return {"Authorization": f"Bearer {endpoint.api_key}", "User-Agent": USER_AGENT, **workspace}
