"""The page that documents the contract says all of it."""

from typing import Any

import pytest
import yaml

from scripts.contract_reference import render
from tests.packaging.conftest import CHECKOUT


@pytest.fixture(scope="module")
def contract() -> Any:
    return yaml.safe_load((CHECKOUT / "openapi.yaml").read_text(encoding="utf-8"))


def test_every_operation_schema_and_error_is_on_the_page(contract: Any) -> None:
    page = render(contract)
    for path, item in contract["paths"].items():
        for method in {"get", "post", "put", "patch", "delete"} & item.keys():
            assert f"(operation-{item[method]['operationId']})=" in page
            assert f"{method.upper()} {path}\n" in page
    for name in contract["components"]["schemas"]:
        assert f"(schema-{name.lower()})=\n### {name}\n" in page
    for name in contract["components"]["responses"]:
        assert f"| `{name}` |" in page


def test_no_two_schemas_share_a_target(contract: Any) -> None:
    names = [name.lower() for name in contract["components"]["schemas"]]
    assert len(names) == len(set(names))


def test_types_limits_and_references_are_spelled_out() -> None:
    reference = {"$ref": "#/components/schemas/Item"}
    contract = {
        "info": {"description": "About."},
        "tags": [{"name": "things"}],
        "paths": {
            "/things": {
                "get": {
                    "operationId": "list_things",
                    "summary": "List things",
                    "tags": ["things"],
                    "security": [],
                    "responses": {"200": {"description": "Them.", "content": {"text/plain": {"schema": reference}}}},
                }
            }
        },
        "components": {
            "schemas": {
                "Item": {
                    "required": ["kind"],
                    "properties": {
                        "kind": {"const": "a"},
                        "sizes": {"type": "array", "items": reference, "description": "Two\nlines | one cell"},
                        "name": {"type": ["string", "null"], "maxLength": 9, "pattern": "^(a|b)$"},
                    },
                }
            }
        },
    }
    page = render(contract)
    assert "Operation `list_things`, open to everyone." in page
    assert "| 200 | [Item](#schema-item) as `text/plain` | Them. |" in page
    assert '| `kind` | `"a"` | yes |  |' in page
    assert "| `sizes` | array of [Item](#schema-item) | no | Two lines \\| one cell |" in page
    assert "| `name` | string or null | no | (longest `9`; matches `^(a\\|b)$`) |" in page
