"""Benchmarks, models and connections, each read by name."""

from evalrouter._async.pages import AsyncPages
from evalrouter._async.transport import AsyncTransport
from evalrouter.connection_request import read_prices
from evalrouter.convert import catalog as requests
from evalrouter.money import Usd
from evalrouter.names import Candidate, checked_name, resolve
from evalrouter.pages import Position
from evalrouter.types import Benchmark, Connection, Model


class AsyncBenchmarks:
    """What can be measured. A benchmark here is one version of one benchmark."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, name: str) -> Benchmark:
        """Reads the benchmark that a name means.

        Args:
            name: Slug (its default version), `slug@version`, display name or exact ID.

        Raises:
            NotFoundError: There is none; `suggestions` has the nearest names.
            AmbiguousNameError: There are several.
        """
        name = checked_name(name, "benchmark")
        page = await self._transport.send(requests.benchmarks_page(Position(), name))
        candidates = (
            Candidate(each, each.id, each.slug, each.name, version=each.version, preferred=each.is_default)
            for each in page.items
        )
        return resolve(name, "benchmark", candidates, page.suggestions)

    def list(self, limit: int | None = None) -> AsyncPages[Benchmark, Benchmark]:
        """All versions of all benchmarks, by slug.

        Args:
            limit: How many in all; None for all.
        """
        return AsyncPages(self._transport, requests.benchmarks_page, lambda found: found, limit)


class AsyncModels:
    """What can be evaluated, with prices."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, name: str) -> Model:
        """Reads the model that a name means.

        Args:
            name: Slug (its maker's model), `provider/slug`, `connection:NAME`, display name or exact ID.

        Raises:
            NotFoundError: There is none; `suggestions` has the nearest names.
            AmbiguousNameError: There are several.
        """
        name = checked_name(name, "model")
        page = await self._transport.send(requests.models_page(Position(), name))
        candidates = (
            Candidate(each, each.id, each.slug, each.name, reference=each.reference, preferred=each.is_makers)
            for each in page.items
        )
        return resolve(name, "model", candidates, page.suggestions)

    def list(self, callable_only: bool = False, limit: int | None = None) -> AsyncPages[Model, Model]:
        """Models with a known price and the workspace's connections, by provider and slug.

        Args:
            callable_only: Whether to leave out what the server cannot call now.
            limit: How many in all; None for all.
        """
        return AsyncPages(
            self._transport,
            lambda position: requests.models_page(position, callable_only=callable_only),
            lambda found: found,
            limit,
        )


class AsyncConnections:
    """Model endpoints of your own."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        name: str,
        *,
        base_url: str,
        model: str,
        kind: str = "model",
        free: bool = False,
        input_price: Usd | None = None,
        output_price: Usd | None = None,
        cached_input_price: Usd | None = None,
        key: str | None = None,
        key_env: str | None = None,
    ) -> Connection:
        """Connects an OpenAI-compatible endpoint; its model is then named `connection:NAME`.

        Args:
            name: Name of the connection.
            base_url: The endpoint's root, usually ending in `/v1`.
            model: The model's name at the endpoint.
            kind: `model`.
            free: Whether its calls cost nothing.
            input_price: USD per million input tokens.
            output_price: USD per million output tokens.
            cached_input_price: USD per million cached input tokens; None where they cost what input costs.
            key: The endpoint's key; the server stores it encrypted.
            key_env: The server's environment variable that holds the key.

        Raises:
            InvalidArgumentError: It is neither free nor priced, or both, or has two keys.
            ConflictError: The name is taken.
        """
        request = requests.connect(
            name=checked_name(name, "connection"),
            base_url=base_url,
            upstream_model=model,
            prices=read_prices(
                kind=kind,
                free=free,
                input_price=input_price,
                output_price=output_price,
                cached_input_price=cached_input_price,
                key=key,
                key_env=key_env,
            ),
            key=key,
            key_env=key_env,
        )
        return await self._transport.send(request)

    async def get(self, name: str) -> Connection:
        """Reads a connection.

        Args:
            name: Its name or exact ID.

        Raises:
            NotFoundError: There is none.
        """
        name = checked_name(name, "connection")
        page = await self._transport.send(requests.connections_page(Position(), name.removeprefix("connection:")))
        candidates = (Candidate(each, each.id, each.name, each.name, reference=each.model) for each in page.items)
        return resolve(name, "connection", candidates, page.suggestions)

    def list(self, limit: int | None = None) -> AsyncPages[Connection, Connection]:
        """All connections, newest first.

        Args:
            limit: How many in all; None for all.
        """
        return AsyncPages(self._transport, requests.connections_page, lambda found: found, limit)

    async def delete(self, name: str) -> None:
        """Removes a connection; runs that used it keep their results.

        Args:
            name: Its name or exact ID.

        Raises:
            NotFoundError: There is none.
            ConflictError: A run that uses it has not ended.
        """
        connection = await self.get(name)
        await self._transport.send(requests.disconnect(connection.id))
