"""The forms of `openapi.yaml` that the generators are given: same meaning, without what they cannot express."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

type Document = dict[str, Any]

FOREIGN_TAGS = frozenset({"gateway", "otlp"})
"""Operations that speak other makers' wires get no generated client."""

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yields path, method and operation object of each operation, in the document's order."""
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                yield path, method, item[method]


def for_client(document: Document) -> Document:
    """Returns the document of the generated client.

    Operations on foreign wires are left out with the schemas that only they use. A success that is not plain JSON
    (a stream, or a choice of formats) becomes opaque bytes: the caller reads it as it arrives.
    """
    kept = copy.deepcopy(document)
    for path, method, operation in operations(document):
        if FOREIGN_TAGS.intersection(operation["tags"]):
            del kept["paths"][path][method]
    kept["paths"] = {path: item for path, item in kept["paths"].items() if any(method in item for method in _METHODS)}
    foreign = _schemas_reached(document, document["paths"]) - _schemas_reached(document, kept["paths"])
    for name in foreign:
        del kept["components"]["schemas"][name]
    kept["components"]["responses"] = {
        name: response
        for name, response in kept["components"]["responses"].items()
        if not foreign & _schemas_reached(document, response)
    }
    for _, _, operation in operations(kept):
        for response in operation["responses"].values():
            if "content" in response and list(response["content"]) != ["application/json"]:
                opaque = {"schema": {"type": "string", "format": "binary"}}
                response["content"] = {"application/octet-stream": opaque}
    return kept


def for_models(document: Document) -> Document:
    """Returns the document of the server's models, in which a free-form object is a plain dictionary."""
    free_form: Document = copy.deepcopy(document)
    for schema in free_form["components"]["schemas"].values():
        if schema.get("additionalProperties") is True:
            schema["additionalProperties"] = {}
    return free_form


def closed_schemas(document: Document) -> list[str]:
    """Returns the names of the schemas that forbid unknown fields, which are the requests."""
    schemas = document["components"]["schemas"]
    return [name for name, schema in schemas.items() if schema.get("additionalProperties") is False]


def _schemas_reached(document: Document, start: object) -> set[str]:
    """Names of the schemas that `start` refers to, directly or through other components."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(node)
        elif isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                _, _, kind, name = reference.split("/")
                if kind == "schemas":
                    found.add(name)
                waiting.append(document["components"][kind][name])
            waiting.extend(node.values())
    return found
