"""Where the server is: named by the caller or the environment, or embedded in this process."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import platformdirs
from attrs import field, frozen

from evalrouter.errors import ConfigurationError


@frozen
class Endpoint:
    """A server and how to show that one may use it.

    Attributes:
        base_url: Its root, without a slash at the end.
        api_key: The key.
        workspace_id: The workspace that requests name, if any.
    """

    base_url: str
    api_key: str = field(repr=False)
    workspace_id: str | None = None


class Endpoints(Protocol):
    """Knows where the server is, and where it is now after it could not be reached."""

    def current(self) -> Endpoint:
        """Where the server is; may start one, so it may block for some seconds."""
        ...

    def replace(self, failed: Endpoint) -> Endpoint:
        """Where the server is after `failed` could not be connected to; may block for some seconds."""
        ...

    def close(self) -> None:
        """Gives the server up; one that was started for this may stop, which may block for some seconds."""
        ...

    @property
    def owns_engine(self) -> bool:
        """Whether the server lives in this process, so that its runs pause when the process ends."""
        ...


@frozen
class FixedEndpoint:
    """A server whose address is given and stays.

    Attributes:
        endpoint: The server.
    """

    endpoint: Endpoint

    def current(self) -> Endpoint:
        """The server."""
        return self.endpoint

    def replace(self, failed: Endpoint) -> Endpoint:
        """The same server: there is no other."""
        return self.endpoint

    def close(self) -> None:
        """Leaves the server alone."""

    @property
    def owns_engine(self) -> bool:
        """It does not live in this process."""
        return False


def find_endpoints(
    api_key: str | None, base_url: str | None, workspace_id: str | None, environment: Mapping[str, str] = os.environ
) -> Endpoints:
    """Decides which server a client talks to; an argument goes before its environment variable.

    Args:
        api_key: Else EVALROUTER_API_KEY.
        base_url: Else EVALROUTER_BASE_URL.
        workspace_id: Else EVALROUTER_WORKSPACE_ID.
        environment: The environment variables.

    Raises:
        ConfigurationError: One of key and address is given without the other, or the address is not an http(s) URL.
        ServerNotInstalledError: Neither is given and there is no server to start.
    """
    api_key = api_key or environment.get("EVALROUTER_API_KEY") or None
    base_url = base_url or environment.get("EVALROUTER_BASE_URL") or None
    workspace_id = workspace_id or environment.get("EVALROUTER_WORKSPACE_ID") or None
    if api_key and not base_url:
        raise ConfigurationError(
            "There is an API key but no base URL: also pass base_url= or set EVALROUTER_BASE_URL to your server's "
            "address, or leave out the key (and EVALROUTER_API_KEY) to use the server inside this process."
        )
    if not base_url:
        from evalrouter.embedded import EmbeddedEndpoint  # only here: a client of a server needs none of it

        return EmbeddedEndpoint(data_folder(environment), workspace_id)
    if not api_key:
        raise ConfigurationError(
            f"There is no API key for {_shown(base_url)}: pass api_key= or set EVALROUTER_API_KEY. "
            "An owner's key is printed when `evalrouter serve` starts for the first time."
        )
    return FixedEndpoint(Endpoint(checked_url(base_url), checked_key(api_key), workspace_id))


def data_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The embedded server's data folder: EVALROUTER_DATA_DIR, else the platform's folder for user data."""
    chosen = environment.get("EVALROUTER_DATA_DIR")
    return Path(chosen).expanduser().absolute() if chosen else Path(platformdirs.user_data_dir("evalrouter", False))


def checked_url(base_url: str) -> str:
    """A server's root without a slash at the end.

    Raises:
        ConfigurationError: It is not an http(s) URL, or has a query, a fragment or a user in it.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ConfigurationError(
            f"base_url {_shown(base_url)} is not valid: pass the server's root such as http://127.0.0.1:8380."
        )
    return base_url.rstrip("/")


def checked_key(api_key: str) -> str:
    """The key as it is.

    Raises:
        ConfigurationError: It has characters that no key has.
    """
    if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise ConfigurationError("The API key has characters that no key has: check for a line end or a space in it.")
    return api_key


def _shown(base_url: str) -> str:
    """The URL without what may be a password in it."""
    scheme, separator, rest = base_url.partition("://")
    return f'"{scheme}{separator}{rest.rpartition("@")[2]}"'
