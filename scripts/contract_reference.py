"""Render `openapi.yaml` as one Markdown page: operations by resource, schemas, errors."""

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

type Node = Mapping[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")
INTRODUCTION = (
    "Generated from `openapi.yaml`, the contract that the server serves itself at `/openapi.yaml` and that both the "
    "client and the server's models are generated from."
)


def render(contract: Node) -> str:
    """Return the reference page of an OpenAPI 3.1 document.

    Args:
        contract: The parsed document. References are local (`#/components/...`).

    Returns:
        Markdown for MyST, with an explicit target before each operation (`operation-ID`) and schema (`schema-NAME`).

    Raises:
        KeyError: A reference points to nothing.
    """
    lines = ["# REST contract", "", INTRODUCTION, "", _text(contract["info"].get("description")), ""]
    lines += ["## Security", ""]
    for name, scheme in contract["components"].get("securitySchemes", {}).items():
        lines.append(f"- `{name}` ({scheme['type']} {scheme.get('scheme', '')}): {_line(scheme.get('description'))}")
    lines += ["", "## Operations", ""]
    for tag in contract["tags"]:
        lines += [f"### {tag['name'].capitalize()}", "", _text(tag.get("description")), ""]
        for method, path, shared, operation in _operations(contract):
            if tag["name"] in operation["tags"]:
                lines += _operation(contract, method, path, shared, operation)
    lines += ["## Errors", "", "Every error is a [Problem](#schema-problem). The answers that operations share:", ""]
    rows = [
        (f"`{name}`", _line(response["description"]))
        for name, response in contract["components"].get("responses", {}).items()
    ]
    lines += [*_table(("Answer", "When"), rows), "## Schemas", ""]
    for name, schema in contract["components"]["schemas"].items():
        lines += _schema(name, schema)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _operations(contract: Node) -> Iterator[tuple[str, str, list[Node], Node]]:
    for path, item in contract["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item.get("parameters", []), item[method]


def _operation(contract: Node, method: str, path: str, shared: list[Node], operation: Node) -> list[str]:
    identifier = operation["operationId"]
    lines = [f"(operation-{identifier})=", f"#### {operation['summary']}", ""]
    lines += [
        "```text",
        f"{method.upper()} {path}",
        "```",
        "",
        f"Operation `{identifier}`{_security(contract, operation)}.",
        "",
    ]
    lines += [_text(operation.get("description")), ""]
    parameters = [_resolve(contract, parameter) for parameter in [*shared, *operation.get("parameters", [])]]
    lines += _table(
        ("Parameter", "In", "Type", "Meaning"),
        [
            (
                f"`{each['name']}`" + (", required" if each.get("required") else ""),
                each["in"],
                _type(each["schema"]),
                (_line(each.get("description")) + _limits(each["schema"])).lstrip(),
            )
            for each in parameters
        ],
    )
    if "requestBody" in operation:
        content = _resolve(contract, operation["requestBody"])["content"]
        lines += ["Body: " + _content(content), "", *_examples(content)]
    rows = []
    examples: list[str] = []
    for status, answer in operation["responses"].items():
        response = _resolve(contract, answer)
        rows.append((status, _content(response.get("content", {})), _line(response["description"])))
        if status.startswith("2"):
            examples += _examples(response.get("content", {}))
    return lines + _table(("Status", "Body", "When"), rows) + examples


def _security(contract: Node, operation: Node) -> str:
    schemes = [name for each in operation.get("security", contract.get("security", [])) for name in each]
    return f", authorised by {' or '.join(f'`{name}`' for name in schemes)}" if schemes else ", open to everyone"


def _examples(content: Node) -> list[str]:
    lines: list[str] = []
    for media in content.values():
        named = media.get("examples") or ({"": {"value": media["example"]}} if "example" in media else {})
        for example in named.values():
            if "summary" in example:
                lines += [f"{example['summary']}:", ""]
            value = example["value"]
            shown = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=str)
            lines += ["```text" if isinstance(value, str) else "```json", shown.rstrip(), "```", ""]
    return lines


def _schema(name: str, schema: Node) -> list[str]:
    lines = [f"(schema-{name.lower()})=", f"### {name}", "", _text(schema.get("description")), ""]
    if "properties" not in schema:
        return [*lines, f"{_type(schema)}{_limits(schema)}", ""]
    required = schema.get("required", [])
    rows = [
        (
            f"`{field}`",
            _type(each),
            "yes" if field in required else "no",
            (_line(each.get("description")) + _limits(each)).lstrip(),
        )
        for field, each in schema["properties"].items()
    ]
    return lines + _table(("Field", "Type", "Required", "Meaning"), rows)


def _type(schema: Node) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#schema-{name.lower()})"
    for union in ("oneOf", "anyOf", "allOf"):
        if union in schema:
            return " or ".join(_type(each) for each in schema[union])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    names = schema.get("type", "any")
    shown = " or ".join([names] if isinstance(names, str) else names)
    if "items" in schema:
        shown = shown.replace("array", f"array of {_type(schema['items'])}")
    return f"{shown} ({schema['format']})" if "format" in schema else shown


def _limits(schema: Node) -> str:
    shown = []
    if "enum" in schema:
        shown.append("one of " + ", ".join(f"`{json.dumps(value)}`" for value in schema["enum"]))
    for key, words in {
        "minimum": "at least",
        "maximum": "at most",
        "minLength": "shortest",
        "maxLength": "longest",
        "pattern": "matches",
        "default": "default",
    }.items():
        if key in schema:
            shown.append(
                f"{words} `{schema[key] if key == 'pattern' else json.dumps(schema[key])}`".replace("|", "\\|")
            )
    return f" ({'; '.join(shown)})" if shown else ""


def _content(content: Node) -> str:
    return ", ".join(f"{_type(media['schema'])} as `{kind}`" for kind, media in content.items()) or "none"


def _resolve(contract: Node, node: Node) -> Node:
    if "$ref" not in node:
        return node
    found: Any = contract
    for part in node["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return _resolve(contract, found)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    body = ["| " + " | ".join(row) + " |" for row in rows]
    if not body:
        return []
    return ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |", *body, ""]


def _text(description: str | None) -> str:
    return (description or "").strip()


def _line(description: str | None) -> str:
    return " ".join(_text(description).split()).replace("|", "\\|")


def main() -> None:
    """Write the page: `contract_reference.py openapi.yaml PAGE.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contract", type=Path)
    parser.add_argument("page", type=Path)
    arguments = parser.parse_args()
    write(arguments.contract, arguments.page)


def write(contract: Path, page: Path) -> None:
    """Render the contract at `contract` into `page`, touching the file only when its text changes.

    Args:
        contract: An OpenAPI 3.1 document in YAML.
        page: The Markdown file; its folder is made.
    """
    text = render(yaml.safe_load(contract.read_text(encoding="utf-8")))
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
