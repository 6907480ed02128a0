"""The client: settings in, resources out.

A resource is imported when it is first used, since most programs use few of them.
"""

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from evalrouter._async.transport import AsyncTransport
from evalrouter.endpoints import find_endpoints
from evalrouter.settings import checked_max_retries, checked_timeout
from evalrouter.types import Identity

if TYPE_CHECKING:
    from evalrouter_api import AuthenticatedClient

    from evalrouter._async.account import AsyncKeys, AsyncLedger
    from evalrouter._async.catalog import AsyncBenchmarks, AsyncConnections, AsyncModels
    from evalrouter._async.events import AsyncEvents
    from evalrouter._async.quotes import AsyncQuotes
    from evalrouter._async.runs import AsyncRuns
    from evalrouter._async.traces import AsyncTraces


class AsyncEvalRouter:
    """Evaluates models on benchmarks, with a hard budget in dollars.

    With a base URL it talks to that server. With none it uses the server embedded in this process, which is started at
    the first request where the package `evalrouter-server` is installed; its data lies in EVALROUTER_DATA_DIR, else in
    the platform's folder for user data.

    Args:
        api_key: An API key; else EVALROUTER_API_KEY.
        base_url: The server's root; else EVALROUTER_BASE_URL.
        workspace_id: The workspace; else EVALROUTER_WORKSPACE_ID; else the key's.
        timeout: Seconds that a request may take, retries included; quoting and starting a run, which may first fetch a
            benchmark's data, have 600 at least.
        max_retries: Tries after the first.

    Raises:
        ConfigurationError: The settings do not fit together.
        ServerNotInstalledError: There is no base URL and no server to start.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        workspace_id: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 3,
    ) -> None:
        self._endpoints = find_endpoints(api_key, base_url, workspace_id)
        self._transport = AsyncTransport(
            self._endpoints, timeout=checked_timeout(timeout), max_retries=checked_max_retries(max_retries)
        )

    @cached_property
    def benchmarks(self) -> "AsyncBenchmarks":
        """What can be measured."""
        from evalrouter._async.catalog import AsyncBenchmarks

        return AsyncBenchmarks(self._transport)

    @cached_property
    def models(self) -> "AsyncModels":
        """What can be evaluated, with prices."""
        from evalrouter._async.catalog import AsyncModels

        return AsyncModels(self._transport)

    @cached_property
    def connections(self) -> "AsyncConnections":
        """Model endpoints of your own."""
        from evalrouter._async.catalog import AsyncConnections

        return AsyncConnections(self._transport)

    @cached_property
    def quotes(self) -> "AsyncQuotes":
        """What a run would cost at most."""
        from evalrouter._async.quotes import AsyncQuotes

        return AsyncQuotes(self._transport, self.benchmarks, self.models, self.connections)

    @cached_property
    def runs(self) -> "AsyncRuns":
        """Evaluations of one model on one benchmark."""
        from evalrouter._async.runs import AsyncRuns

        return AsyncRuns(self._transport, self.quotes)

    @cached_property
    def events(self) -> "AsyncEvents":
        """What happened to runs."""
        from evalrouter._async.events import AsyncEvents

        return AsyncEvents(self._transport)

    @cached_property
    def traces(self) -> "AsyncTraces":
        """What agents did, as trees of spans."""
        from evalrouter._async.traces import AsyncTraces

        return AsyncTraces(self._transport, self.benchmarks, self.runs)

    @cached_property
    def wallet(self) -> "AsyncLedger":
        """The workspace's money."""
        from evalrouter._async.account import AsyncLedger

        return AsyncLedger(self._transport)

    @cached_property
    def keys(self) -> "AsyncKeys":
        """API keys and their spend ceilings."""
        from evalrouter._async.account import AsyncKeys

        return AsyncKeys(self._transport)

    async def whoami(self) -> Identity:
        """Whom the server takes this client for.

        Raises:
            AuthenticationError: The key is not valid.
            TransportError: The server could not be reached.
        """
        from evalrouter.convert.account import whoami

        return await self._transport.send(whoami())

    @property
    def raw(self) -> "AuthenticatedClient":
        """The generated client of the REST contract, authenticated, for what has no form here.

        Its connections are its own, and it neither retries nor sends idempotency keys by itself. Starts the embedded
        server where that is meant, and blocks for as long as that takes.
        """
        from evalrouter_api import AuthenticatedClient

        endpoint = self._endpoints.current()
        workspace = {"EvalRouter-Workspace": endpoint.workspace_id} if endpoint.workspace_id else {}
        return AuthenticatedClient(
            base_url=endpoint.base_url, token=endpoint.api_key, headers=workspace, timeout=self._transport.timeout
        )

    @property
    def base_url(self) -> str:
        """The server's root. Starts the embedded server where that is meant, and blocks for as long as that takes."""
        return self._endpoints.current().base_url

    @property
    def owns_engine(self) -> bool:
        """Whether the server lives in this process, so that its runs pause when the client or the process ends."""
        return self._endpoints.owns_engine

    async def aclose(self) -> None:
        """Closes the connections. An embedded server stops with the last client that uses it, which pauses its runs."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._endpoints!r})"
