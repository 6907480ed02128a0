"""From an item to the chat messages of its call."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import ExampleText, ExampleTurns, Manifest, Protocol


def messages_of(manifest: Manifest | HarnessManifest, item: Item) -> list[dict[str, str]]:
    """The chat messages of an item's call: as the protocol renders them, or as the harness listed them.

    Args:
        manifest: The benchmark version.
        item: The item.

    Raises:
        KeyError: The template names an input that the item does not have.
    """
    if isinstance(manifest, HarnessManifest):
        return item.inputs["messages"]  # type: ignore[return-value]
    return render(manifest.protocol, item)


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
    values = _values(protocol, item.inputs)
    turns: list[dict[str, str]] = []
    if isinstance(protocol.examples, ExampleText):
        shown = (protocol.examples.text.format_map(_values(protocol, example)) for example in item.examples)
        values["examples"] = protocol.examples.separator.join(shown)
    elif isinstance(protocol.examples, ExampleTurns):
        for example in item.examples:
            inputs = _values(protocol, example)
            turns.append({"role": "user", "content": protocol.examples.user.format_map(inputs)})
            turns.append({"role": "assistant", "content": protocol.examples.assistant.format_map(inputs)})
    system = [] if protocol.system is None else [{"role": "system", "content": protocol.system.format_map(values)}]
    return [*system, *turns, {"role": "user", "content": protocol.user.format_map(values)}]


def task_inputs(manifest: Manifest, item: Item) -> dict[str, Any]:
    """What an agent gets of an item: what its prompt is made of, and the prompt; never its target."""
    return {**item.inputs, "messages": render(manifest.protocol, item)}


def _values(protocol: Protocol, inputs: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: _lines(protocol, value) if isinstance(value, list) else value for name, value in inputs.items()}


def _lines(protocol: Protocol, elements: list[JsonValue]) -> str:
    """The elements of a list, one a line."""
    return "\n".join(
        protocol.list_line.format_map({"letter": chr(ord("A") + place), "number": place + 1, "text": element})
        for place, element in enumerate(elements)
    )
