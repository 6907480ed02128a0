"""Where a remote agent is, and how it wants its key; pure."""

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from evalrouter_server.remote_agents.failures import AgentUnavailable

if TYPE_CHECKING:
    from a2a.types.a2a_pb2 import AgentCard, SecurityScheme

WELL_KNOWN = ("/.well-known/agent-card.json", "/.well-known/agent.json")
"""Where a card is below an agent's address; the second is that of older servers."""

_PORTS = {"http": 80, "https": 443}

type Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AgentAddress:
    """What the operator says of a remote agent.

    Attributes:
        name: The connection's name.
        card_url: The card, if it ends in `.json`, else the address below which it is.
        origins: Origins beside the card's at which the agent may be called and gets the key.
        key: Its key; None: it wants none. Never shown.
        key_header: The header that carries the key, as it is; None: as the card says.
    """

    name: str
    card_url: str
    origins: tuple[str, ...] = ()
    key: str | None = field(default=None, repr=False)
    key_header: str | None = None

    @property
    def card_urls(self) -> tuple[str, ...]:
        """Where the card may be, in the order of trying."""
        if urlsplit(self.card_url).path.endswith(".json"):
            return (self.card_url,)
        return tuple(self.card_url + path for path in WELL_KNOWN)

    @property
    def allowed(self) -> frozenset[str]:
        """The origins that anything may be sent to."""
        return frozenset(origin_of(url) for url in (self.card_url, *self.origins))


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL; empty where it has no host, or is not http."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return ""
    if not parts.hostname or parts.scheme not in _PORTS:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{'' if port == _PORTS[parts.scheme] else f':{port}'}"


def credential(address: AgentAddress, card: "AgentCard | None") -> Header | None:
    """The header that the agent's key is sent in; None where it has no key.

    Args:
        address: What the operator says.
        card: What the agent says; None: nothing yet.

    Raises:
        AgentUnavailable: `agent_key_unusable`: the key cannot stand in a header, or the card asks for something else.
    """
    key = address.key
    if key is None:
        return None
    if not key.isascii() or not key.isprintable():
        raise AgentUnavailable(
            "agent_key_unusable",
            f"the key of {address.name} has characters that no header can carry: give it again, in one line",
        )
    if address.key_header is not None:
        return address.key_header, key
    schemes = [] if card is None else list(_wanted(card))
    for scheme in schemes:
        if (header := _header(scheme, key)) is not None:
            return header
    if schemes:
        raise AgentUnavailable(
            "agent_key_unusable",
            f"the card of {address.name} asks for {' or '.join(sorted(map(_kind, schemes)))}, which is not supported:"
            " if the agent takes a key in a header as well, name the header",
        )
    return "Authorization", f"Bearer {key}"


def _wanted(card: "AgentCard") -> "Iterable[SecurityScheme]":
    """The schemes of the card's requirements that are met with one key, in the card's order."""
    for requirement in card.security_requirements:
        names = list(requirement.schemes)
        if len(names) == 1 and names[0] in card.security_schemes:
            yield card.security_schemes[names[0]]


def _kind(scheme: "SecurityScheme") -> str:
    return (scheme.WhichOneof("scheme") or "an unknown scheme").removesuffix("_security_scheme").replace("_", " ")


def _header(scheme: "SecurityScheme", key: str) -> Header | None:
    match scheme.WhichOneof("scheme"):
        case "oauth2_security_scheme" | "open_id_connect_security_scheme":
            return "Authorization", f"Bearer {key}"
        case "http_auth_security_scheme":
            kind = scheme.http_auth_security_scheme.scheme.casefold()
            if kind == "basic":
                return "Authorization", f"Basic {base64.b64encode(key.encode()).decode()}"
            return ("Authorization", f"Bearer {key}") if kind == "bearer" else None
        case "api_key_security_scheme":
            wanted = scheme.api_key_security_scheme
            usable = wanted.location.casefold() == "header" and wanted.name.casefold() not in RESERVED_HEADERS
            return (wanted.name, key) if usable and wanted.name.replace("-", "").isalnum() else None
    return None


RESERVED_HEADERS = frozenset(
    {"accept-encoding", "connection", "content-length", "content-type", "expect", "host", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
"""Headers that say how a request is made, and can carry no key."""
