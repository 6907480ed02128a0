"""An agent's card: fetched, checked, and reduced to the interfaces that it may be called at."""

import json
from dataclasses import dataclass
from typing import Any

import httpx
from a2a.client.card_resolver import parse_agent_card
from a2a.types.a2a_pb2 import AgentCard, AgentInterface
from a2a.utils.constants import TransportProtocol
from google.protobuf.json_format import ParseError  # type: ignore[import-untyped]
from packaging.version import InvalidVersion, Version

from evalrouter_server.remote_agents.address import AgentAddress, credential, origin_of
from evalrouter_server.remote_agents.failures import AgentUnavailable
from evalrouter_server.remote_agents.http import AnswerTooLarge, ForeignOrigin, GuardedTransport

BINDINGS = (TransportProtocol.JSONRPC, TransportProtocol.HTTP_JSON)

UNAVAILABLE = "agent_unavailable"


@dataclass(frozen=True, slots=True)
class CheckedCard:
    """A card that can be used.

    Attributes:
        card: The card with no interfaces but those that may be used.
        version: The agent's own version; None where it states none.
        protocol: The protocol's version and binding that come first, such as `A2A 1.0 over JSONRPC`.
    """

    card: AgentCard
    version: str | None
    protocol: str


async def fetch_card(client: httpx.AsyncClient, transport: GuardedTransport, address: AgentAddress) -> CheckedCard:
    """Fetch and check the card; the key is sent for it only where it is asked for.

    Args:
        client: The client over `transport`.
        transport: Gets the credential that the card asks for.
        address: The agent.

    Raises:
        AgentUnavailable: There is no card, or none that can be used.
    """
    missing = ""
    for url in address.card_urls:
        response = await _get(client, url, address)
        if response.status_code in (401, 403) and (header := credential(address, None)) is not None:
            transport.credential = header
            response = await _get(client, url, address)
        if response.status_code in (401, 403):
            raise AgentUnavailable(
                "agent_refused_key",
                f"{address.name} refused to show its card (HTTP {response.status_code}): give the connection a key that"
                " it takes",
            )
        if response.status_code == 200:
            checked = check_card(_parsed(response, address), address)
            transport.credential = credential(address, checked.card)
            return checked
        missing = missing or f"{url} answered HTTP {response.status_code}"
    raise AgentUnavailable(UNAVAILABLE, f"{address.name} has no agent card: {missing}")


def check_card(card: AgentCard, address: AgentAddress) -> CheckedCard:
    """Reduce a card to what can be used.

    Args:
        card: What the agent says.
        address: What the operator says.

    Raises:
        AgentUnavailable: Nothing of it can be used; the message says why.
    """
    required = [each.uri for each in card.capabilities.extensions if each.required]
    if required:
        raise AgentUnavailable(
            UNAVAILABLE, f"{address.name} requires the extension {_shown(required[0])}, which is not supported"
        )
    refused = [(each, _refusal(each, address)) for each in card.supported_interfaces]
    usable = [each for each, why in refused if why is None]
    if not usable:
        reasons = "; ".join(why for _, why in refused if why is not None) or "its card names no address"
        raise AgentUnavailable(UNAVAILABLE, f"{address.name} cannot be called: {reasons}")
    kept = AgentCard()
    kept.CopyFrom(card)
    del kept.supported_interfaces[:]
    kept.supported_interfaces.extend(usable)
    first = usable[0]
    protocol = f"A2A {'.'.join(first.protocol_version.split('.')[:2]) or '1.0'} over {first.protocol_binding}"
    return CheckedCard(kept, _shown(card.version) or None, protocol)


def _refusal(interface: AgentInterface, address: AgentAddress) -> str | None:
    """Why an interface cannot be used; None where it can."""
    binding = _shown(interface.protocol_binding)
    if interface.protocol_binding not in BINDINGS:
        return f"{binding or 'an unnamed binding'} is not spoken here, only {' and '.join(BINDINGS)}"
    if not _is_spoken(interface.protocol_version):
        return f"{binding} in version {_shown(interface.protocol_version)} is not spoken here, only 1.0 and 0.3"
    origin = origin_of(interface.url)
    if origin not in address.allowed:
        there = origin or "no address"
        return (
            f"its card leads to {there}, which is not where the card is ({origin_of(address.card_url)}): if that is"
            f" right, connect it anew with the origin {there}"
        )
    return None


def _is_spoken(version: str) -> bool:
    try:
        found = Version(version or "1.0")
    except InvalidVersion:
        return False
    return found.major == 1 or (found.major, found.minor) == (0, 3)


async def _get(client: httpx.AsyncClient, url: str, address: AgentAddress) -> httpx.Response:
    try:
        return await client.get(url)
    except (ForeignOrigin, AnswerTooLarge) as error:
        raise AgentUnavailable(UNAVAILABLE, f"the card of {address.name} cannot be read: {error}") from None
    except httpx.HTTPError as error:
        raise AgentUnavailable(
            UNAVAILABLE, f"{address.name} cannot be reached at {origin_of(url)}: {type(error).__name__}"
        ) from None


def _parsed(response: httpx.Response, address: AgentAddress) -> AgentCard:
    try:
        found: dict[str, Any] = json.loads(response.content)
        return parse_agent_card(found)
    except (ParseError, ValueError, RecursionError, AttributeError, TypeError):
        raise AgentUnavailable(UNAVAILABLE, f"what {address.name} shows as its card is no agent card") from None


def _shown(text: str) -> str:
    """Text of the agent's that stands in a message."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:100])
