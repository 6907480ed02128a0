# Generated from evalrouter/_async/catalog.py by scripts/regen; do not edit.

"""Benchmarks, models and connections, each read by name."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from evalrouter._sync.pages import Pages
from evalrouter._sync.transport import Transport
from evalrouter.benchmark_manifest import RowsFile, read_manifest
from evalrouter.connection_request import check_one_key, read_prices
from evalrouter.convert import catalog as requests
from evalrouter.convert import own_benchmarks as own_requests
from evalrouter.money import Usd
from evalrouter.names import Candidate, checked_name, resolve
from evalrouter.pages import Position
from evalrouter.types import Benchmark, BenchmarkCheck, BenchmarkExample, Connection, Model


class Benchmarks:
    """What can be measured. A benchmark here is one version of one benchmark."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, name: str) -> Benchmark:
        """Reads the benchmark that a name means.

        Args:
            name: Slug (its default version), `slug@version`, display name or exact ID.

        Raises:
            NotFoundError: There is none; `suggestions` has the nearest names.
            AmbiguousNameError: There are several.
        """
        name = checked_name(name, "benchmark")
        page = self._transport.send(requests.benchmarks_page(Position(), name))
        candidates = (
            Candidate(each, each.id, each.slug, each.name, version=each.version, preferred=each.is_default)
            for each in page.items
        )
        return resolve(name, "benchmark", candidates, page.suggestions)

    def example(self, name: str) -> BenchmarkExample:
        """A benchmark's first row as it is asked and graded; the server may have to fetch the data first.

        Args:
            name: Slug (its default version), `slug@version`, display name or exact ID.

        Raises:
            NotFoundError: There is none; `suggestions` has the nearest names.
            AmbiguousNameError: There are several.
            DataUnavailableError: The server cannot have the benchmark's data.
        """
        found = self.get(name)
        return self._transport.send(requests.example(found.id))

    def create(self, manifest: str | PathLike[str] | Mapping[str, Any]) -> Benchmark:
        """Makes a benchmark of your own, which only your workspace sees; the same content again is the same version.

        Args:
            manifest: The path of the manifest, in YAML or JSON, or what it would say.

        Raises:
            InvalidArgumentError: The manifest or the file with the rows cannot be read.
            InvalidRequestError: A row is not valid (`invalid_rows`), or the manifest is not.
            ConflictError: The version is there with other content (`version_taken`; `details["next_version"]`), or
                the catalog has the slug (`name_taken`), or the grader runs code and the server has no sandbox
                (`sandbox_unavailable`).
            DataUnavailableError: The server cannot fetch the hub's file.
        """
        document, upload_id = self._send_rows(manifest)
        return self._transport.send(own_requests.create(document, upload_id))

    def check(self, manifest: str | PathLike[str] | Mapping[str, Any]) -> BenchmarkCheck:
        """Reads every row as `create` would and makes nothing.

        Args:
            manifest: The path of the manifest, in YAML or JSON, or what it would say.

        Returns:
            Every error with its row's number, and some rows as they would be asked.

        Raises:
            InvalidArgumentError: The manifest or the file with the rows cannot be read.
            InvalidRequestError: The manifest is not valid.
            ConflictError: The version is there with other content, the catalog has the slug, or the grader runs code
                and the server has no sandbox.
            DataUnavailableError: The server cannot fetch the hub's file.
        """
        document, upload_id = self._send_rows(manifest)
        return self._transport.send(own_requests.check(document, upload_id))

    def archive(self, name: str) -> None:
        """Archives a version of a benchmark of your own: it is listed no more and starts no new run.

        Its runs keep their results; creating the same content again brings it back.

        Args:
            name: Slug (its newest version), `slug@version` or exact ID.

        Raises:
            NotFoundError: There is none.
            ConflictError: It is a benchmark of the catalog.
        """
        found = self.get(name)
        self._transport.send(own_requests.archive(found.id))

    def list(self, limit: int | None = None) -> Pages[Benchmark, Benchmark]:
        """All versions of all benchmarks, by slug.

        Args:
            limit: How many in all; None for all.
        """
        return Pages(self._transport, requests.benchmarks_page, lambda found: found, limit)

    def _send_rows(self, manifest: str | PathLike[str] | Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
        """The manifest's document and the upload of its rows, part by part from where an earlier one ended."""
        in_thread = self._transport.runtime.in_thread
        read = in_thread(read_manifest, manifest)
        if read.rows is None:
            return read.document, None
        file = in_thread(RowsFile.read, read.rows)
        upload = self._transport.send(own_requests.begin_upload(file.sha256, file.byte_count))
        for number in range(upload.parts_received, upload.part_count):
            data = in_thread(file.part, number, upload.part_bytes)
            self._transport.send(own_requests.upload_part(upload.id, number, data))
        return read.document, upload.id


class Models:
    """What can be evaluated, with prices."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, name: str) -> Model:
        """Reads the model that a name means.

        Args:
            name: Slug (its maker's model), `provider/slug`, `connection:NAME`, display name or exact ID.

        Raises:
            NotFoundError: There is none; `suggestions` has the nearest names.
            AmbiguousNameError: There are several.
        """
        name = checked_name(name, "model")
        page = self._transport.send(requests.models_page(Position(), name))
        candidates = (
            Candidate(each, each.id, each.slug, each.name, reference=each.reference, preferred=each.is_makers)
            for each in page.items
        )
        return resolve(name, "model", candidates, page.suggestions)

    def list(self, callable_only: bool = False, limit: int | None = None) -> Pages[Model, Model]:
        """Models with a known price and the workspace's connections, by provider and slug.

        Args:
            callable_only: Whether to leave out what the server cannot call now.
            limit: How many in all; None for all.
        """
        return Pages(
            self._transport,
            lambda position: requests.models_page(position, callable_only=callable_only),
            lambda found: found,
            limit,
        )


class Connections:
    """Model endpoints of your own, remote agents, and what agents send traces to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
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
            kind: `model`; `create_a2a` and `create_trace` make the other kinds.
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
        return self._transport.send(request)

    def create_a2a(
        self,
        name: str,
        *,
        card_url: str,
        key: str | None = None,
        key_env: str | None = None,
        key_header: str | None = None,
        origins: Sequence[str] = (),
    ) -> Connection:
        """Connects a remote agent that speaks A2A; runs then name it `agent="remote:NAME"`. Nothing is sent to it yet.

        Args:
            name: Name of the connection.
            card_url: The agent's card, if it ends in `.json`, else the address below which the card is at its
                well-known place.
            key: The agent's key; the server stores it encrypted.
            key_env: The server's environment variable that holds the key.
            key_header: The header that carries the key, as it is; None: as the card says, else as a bearer token.
            origins: Origins (`https://host:port`) beside the card's own at which the agent may be called and gets the
                key.

        Raises:
            InvalidArgumentError: It has two keys.
            InvalidRequestError: The address, the header or an origin is not valid.
            ConflictError: The name is taken.
        """
        check_one_key(key, key_env)
        request = requests.connect_agent(
            name=checked_name(name, "connection"),
            card_url=card_url,
            key=key,
            key_env=key_env,
            key_header=key_header,
            origins=origins,
        )
        return self._transport.send(request)

    def create_trace(self, name: str, *, stores_content: bool = True, retention_days: int = 90) -> Connection:
        """Makes a connection that agents send traces to; its `secret` is their key, which is shown only now.

        Args:
            name: Name of the connection.
            stores_content: Whether inputs, outputs and error texts are stored; else they are dropped on arrival.
            retention_days: Days after its last span that a trace is kept, 1 to 3650.

        Raises:
            ConflictError: The name is taken.
            PermissionDeniedError: The key lacks the scope `admin`, or Traces are off (`traces_not_enabled`).
        """
        name = checked_name(name, "connection")
        return self._transport.send(requests.connect_traces(name, stores_content, retention_days))

    def rotate(self, name: str) -> Connection:
        """Gives a trace connection a new key, which is the answer's `secret`; the old one stops at once.

        Args:
            name: Its name or exact ID.

        Raises:
            NotFoundError: There is no trace connection of this name.
        """
        return self._transport.send(requests.rotate_key((self.get(name)).id))

    def revoke(self, name: str) -> Connection:
        """Revokes a trace connection's key, until it is given a new one.

        Args:
            name: Its name or exact ID.

        Raises:
            NotFoundError: There is no trace connection of this name.
        """
        return self._transport.send(requests.revoke_key((self.get(name)).id))

    def get(self, name: str) -> Connection:
        """Reads a connection.

        Args:
            name: Its name or exact ID.

        Raises:
            NotFoundError: There is none.
        """
        name = checked_name(name, "connection")
        page = self._transport.send(requests.connections_page(Position(), name.removeprefix("connection:")))
        candidates = (Candidate(each, each.id, each.name, each.name, reference=each.model) for each in page.items)
        return resolve(name, "connection", candidates, page.suggestions)

    def list(self, limit: int | None = None) -> Pages[Connection, Connection]:
        """All connections, newest first.

        Args:
            limit: How many in all; None for all.
        """
        return Pages(self._transport, requests.connections_page, lambda found: found, limit)

    def delete(self, name: str) -> None:
        """Removes a connection; runs that used it keep their results.

        Args:
            name: Its name or exact ID.

        Raises:
            NotFoundError: There is none.
            ConflictError: A run that uses it has not ended.
        """
        connection = self.get(name)
        self._transport.send(requests.disconnect(connection.id))
