# Generated from openapi.yaml by scripts/regen; do not edit.

"""Where the API is and how to reach it."""

import ssl
from typing import Any, Self

import httpx
from attrs import define, evolve, field


def _copy(settings: dict[str, Any]) -> dict[str, Any]:
    """A dictionary of its own for each client."""
    return dict(settings)


@define(kw_only=True)
class Client:
    """The settings of a connection, with a sync and an async httpx client that are made when first used.

    The `with_*` methods return a client with other settings and connections of its own; this one stays as it is.

    Attributes:
        base_url: Root of the API; operations append their path.
        cookies: Sent with every request.
        headers: Sent with every request.
        timeout: Seconds that connecting, each read and each write may take; None for no limit.
        verify_ssl: Whether, or against which authorities, the server's certificate is checked.
        follow_redirects: Whether redirects are followed.
        httpx_args: Further arguments of `httpx.Client` and `httpx.AsyncClient`.
        raise_on_unexpected_status: Whether a status that the contract does not know raises `errors.UnexpectedStatus`
            instead of being parsed as None.
    """

    base_url: str
    cookies: dict[str, str] = field(factory=dict, converter=_copy, repr=False)
    headers: dict[str, str] = field(factory=dict, converter=_copy, repr=False)
    timeout: httpx.Timeout | float | None = 60.0
    verify_ssl: str | bool | ssl.SSLContext = True
    follow_redirects: bool = False
    httpx_args: dict[str, Any] = field(factory=dict, converter=_copy, repr=False)
    raise_on_unexpected_status: bool = False
    _client: httpx.Client | None = field(default=None, init=False, repr=False, eq=False)
    _async_client: httpx.AsyncClient | None = field(default=None, init=False, repr=False, eq=False)

    def with_headers(self, headers: dict[str, str]) -> Self:
        """A client that also sends these headers."""
        return evolve(self, headers={**self.headers, **headers})

    def with_cookies(self, cookies: dict[str, str]) -> Self:
        """A client that also sends these cookies."""
        return evolve(self, cookies={**self.cookies, **cookies})

    def with_timeout(self, timeout: httpx.Timeout | float | None) -> Self:
        """A client with another time limit, in seconds."""
        return evolve(self, timeout=timeout)

    def set_httpx_client(self, client: httpx.Client) -> Self:
        """Send sync requests through this client; the settings here no longer apply to them."""
        self._client = client
        return self

    def get_httpx_client(self) -> httpx.Client:
        """The httpx client of sync requests, made when first asked for."""
        if self._client is None:
            self._client = httpx.Client(**self._httpx_settings())
        return self._client

    def set_async_httpx_client(self, async_client: httpx.AsyncClient) -> Self:
        """Send async requests through this client; the settings here no longer apply to them."""
        self._async_client = async_client
        return self

    def get_async_httpx_client(self) -> httpx.AsyncClient:
        """The httpx client of async requests, made when first asked for."""
        if self._async_client is None:
            self._async_client = httpx.AsyncClient(**self._httpx_settings())
        return self._async_client

    def __enter__(self) -> Self:
        self.get_httpx_client().__enter__()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self.get_httpx_client().__exit__(*exc_info)

    async def __aenter__(self) -> Self:
        await self.get_async_httpx_client().__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> None:
        await self.get_async_httpx_client().__aexit__(*exc_info)

    def _all_headers(self) -> dict[str, str]:
        return self.headers

    def _httpx_settings(self) -> dict[str, Any]:
        return {
            "base_url": self.base_url,
            "cookies": self.cookies,
            "headers": self._all_headers(),
            "timeout": self.timeout,
            "verify": self.verify_ssl,
            "follow_redirects": self.follow_redirects,
            **self.httpx_args,
        }


@define(kw_only=True)
class AuthenticatedClient(Client):
    """A client that sends an API key with every request.

    Attributes:
        token: The API key.
        prefix: What stands before the key in the header; empty for nothing.
        auth_header_name: The header that carries it.
    """

    token: str = field(repr=False)
    prefix: str = "Bearer"
    auth_header_name: str = "Authorization"

    def _all_headers(self) -> dict[str, str]:
        return {**self.headers, self.auth_header_name: f"{self.prefix} {self.token}".strip()}
