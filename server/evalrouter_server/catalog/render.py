"""From an item to the chat messages of its call."""

from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Protocol


def render(protocol: Protocol, item: Item) -> list[dict[str, str]]:
    """The chat messages of an item.

    Args:
        protocol: The benchmark's protocol.
        item: The item.

    Returns:
        Messages in the chat completions wire's form.

    Raises:
        KeyError: The template names an input that the item does not have.
    """
    system = [] if protocol.system is None else [{"role": "system", "content": protocol.system}]
    return [*system, {"role": "user", "content": protocol.user.format_map(item.inputs)}]
