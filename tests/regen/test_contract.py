"""Rules that the REST contract keeps, some for its readers and some because the generators cannot cope otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from scripts import contract_document, regen

type Node = dict[str, Any]

CONTRACT: Node = yaml.safe_load((regen.ROOT / regen.CONTRACT).read_text(encoding="utf-8"))
SCHEMAS: dict[str, Node] = CONTRACT["components"]["schemas"]
OPERATIONS = {operation["operationId"]: operation for _, _, operation in contract_document.operations(CONTRACT)}
OURS = {
    name: operation
    for name, operation in OPERATIONS.items()
    if not contract_document.FOREIGN_TAGS.intersection(operation["tags"])
}


def resolve(node: Node) -> Node:
    """The component that a reference names, or the node itself."""
    if "$ref" not in node:
        return node
    _, _, kind, name = node["$ref"].split("/")
    component: Node = CONTRACT["components"][kind][name]
    return component


def parameters(path: str, operation: Node) -> list[Node]:
    return [
        resolve(node) for node in [*CONTRACT["paths"][path].get("parameters", []), *operation.get("parameters", [])]
    ]


def walk(node: object, place: str) -> Iterator[tuple[str, Node]]:
    """Each object below `node`, with its place."""
    if isinstance(node, dict):
        yield place, node
        for key, value in node.items():
            yield from walk(value, f"{place}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from walk(value, f"{place}/{index}")


def properties() -> Iterator[tuple[str, str, Node]]:
    for name, schema in SCHEMAS.items():
        for key, value in schema.get("properties", {}).items():
            yield name, key, value


def closed() -> Iterator[tuple[str, Node]]:
    for name in contract_document.closed_schemas(CONTRACT):
        yield name, SCHEMAS[name]


def test_operation_ids_are_unique_snake_case() -> None:
    names = [operation.get("operationId") for _, _, operation in contract_document.operations(CONTRACT)]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", str(name)) for name in names)


def test_operations_have_one_known_tag_and_a_summary() -> None:
    described = {tag["name"] for tag in CONTRACT["tags"] if tag["description"]}
    for name, operation in OPERATIONS.items():
        assert len(operation["tags"]) == 1, name
        assert operation["tags"][0] in described, name
        assert operation["summary"], name


def test_bodies_are_named_schemas() -> None:
    """A generator names an inline schema itself, and the name changes with the order of the document."""
    contents = [
        (place, media)
        for start in ("paths", "components")
        for place, node in walk(CONTRACT[start], start)
        for media in (node["content"].values() if isinstance(node.get("content"), dict) else ())
    ]
    assert contents
    for place, media in contents:
        assert set(media["schema"]) == {"$ref"}, place


def test_schemas_hold_no_inline_object() -> None:
    for name, key, value in properties():
        for place, node in walk(value, f"{name}.{key}"):
            assert "properties" not in node, place
            assert "enum" not in node, f"{place}: name the enum"


def test_schemas_have_no_title() -> None:
    for place, node in walk(SCHEMAS, "schemas"):
        if "type" in node or "$ref" in node or "oneOf" in node:
            assert not isinstance(node.get("title"), str), place


def test_every_write_takes_an_idempotency_key() -> None:
    for path, method, operation in contract_document.operations(CONTRACT):
        if operation["operationId"] in OURS:
            names = [parameter["name"] for parameter in parameters(path, operation)]
            assert ("Idempotency-Key" in names) == (method != "get"), operation["operationId"]


def test_every_error_is_a_problem() -> None:
    problem = {"application/problem+json": {"$ref": "#/components/schemas/Problem"}}
    for name, operation in OURS.items():
        for status, response in operation["responses"].items():
            if not status.startswith("2"):
                content = resolve(response)["content"]
                assert {media: body["schema"] for media, body in content.items()} == problem, f"{name} {status}"


def test_every_operation_that_needs_a_key_says_what_happens_without() -> None:
    for name, operation in OURS.items():
        assert ("401" in operation["responses"]) == (operation.get("security") != []), name


def test_an_operation_that_takes_input_says_how_it_is_refused() -> None:
    for path, _, operation in contract_document.operations(CONTRACT):
        if operation["operationId"] in OURS and (parameters(path, operation) or "requestBody" in operation):
            assert "422" in operation["responses"], operation["operationId"]


def test_parameters_and_responses_are_described() -> None:
    for path, _, operation in contract_document.operations(CONTRACT):
        for parameter in parameters(path, operation):
            assert parameter.get("description") or parameter["in"] == "path", parameter["name"]
        for response in operation["responses"].values():
            assert resolve(response)["description"]


def test_requests_are_closed() -> None:
    """A misspelt field of a request is an error, never ignored."""
    closed_names = {name for name, _ in closed()}
    for name, operation in OURS.items():
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]
            if list(content) == ["application/octet-stream"]:
                continue
            body = content["application/json"]["schema"]["$ref"].rsplit("/")[-1]
            variants = [variant["$ref"].rsplit("/")[-1] for variant in SCHEMAS[body].get("oneOf", [])] or [body]
            assert closed_names.issuperset(variants), name


def test_an_optional_request_field_is_never_null() -> None:
    """What may be left out has one way to be left out; the server's request models rely on it."""
    for name, schema in closed():
        for key, value in schema["properties"].items():
            if "null" in value.get("type", []):
                assert key in schema["required"], f"{name}.{key}"


def test_a_response_states_every_field() -> None:
    closed_names = {name for name, _ in closed()}
    for name, schema in SCHEMAS.items():
        if schema.get("type") == "object" and "properties" in schema and name not in closed_names:
            assert set(schema["required"]) == set(schema["properties"]), name


def test_union_variants_carry_a_tag() -> None:
    """Variants are told apart by a constant, never by trying one after the other."""
    unions = [(place, node) for place, node in walk(SCHEMAS, "schemas") if isinstance(node.get("oneOf"), list)]
    for place, union in unions:
        variants = [variant["$ref"] for variant in union["oneOf"] if variant.get("type") != "null"]
        if len(variants) > 1:
            tag = union["discriminator"]["propertyName"]
            mapping = union["discriminator"]["mapping"]
            constants = {resolve({"$ref": variant})["properties"][tag]["const"]: variant for variant in variants}
            assert constants == mapping, place
            assert all(tag in resolve({"$ref": variant})["required"] for variant in variants), place


def test_no_property_has_a_name_that_breaks_the_client_generator() -> None:
    assert not [f"{name}.{key}" for name, key, _ in properties() if key in {"d", "cls", "field_dict", "src_dict"}]


def test_money_is_integer_and_prices_are_decimal_strings() -> None:
    for name, key, value in properties():
        types = resolve(value).get("type")
        if key.endswith("_microusd"):
            assert types in ("integer", ["integer", "null"]), f"{name}.{key}"
            assert resolve(value)["format"] == "int64", f"{name}.{key}"
        elif key.endswith("_usd_per_mtok"):
            assert types in ("string", ["string", "null"]), f"{name}.{key}"


@pytest.mark.parametrize("suffix", ["_at"])
def test_times_are_date_times(suffix: str) -> None:
    for name, key, value in properties():
        if key == "at" or key.endswith(suffix):
            assert value["format"] == "date-time", f"{name}.{key}"
