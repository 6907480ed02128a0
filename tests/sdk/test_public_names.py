"""What `import evalrouter` costs and offers."""

import inspect
import json
import subprocess
import sys
from typing import Any, get_type_hints

import attrs
import pytest

import evalrouter
from evalrouter import types

SEEN = "import sys; before = set(sys.modules); {}; import json; print(json.dumps(sorted(set(sys.modules) - before)))"


def loaded(statement: str) -> list[str]:
    program = [sys.executable, "-c", SEEN.format(statement)]
    names: list[str] = json.loads(subprocess.run(program, check=True, capture_output=True, text=True).stdout)
    return names


def test_importing_the_package_loads_next_to_nothing() -> None:
    ours = [name for name in loaded("import evalrouter") if name.startswith(("evalrouter", "httpx", "attr"))]
    assert ours == ["evalrouter"]


def test_a_client_loads_no_server_and_no_extra() -> None:
    modules = loaded("from evalrouter import AsyncEvalRouter, EvalRouter; EvalRouter('er_x', 'http://127.0.0.1:9')")
    roots = {name.partition(".")[0] for name in modules}
    unwanted = {"pydantic", "fastapi", "uvicorn", "sqlalchemy", "aiohttp", "opentelemetry", "acp", "langsmith", "scipy"}
    assert not roots & {*unwanted, "evalrouter_server", "filelock"}


@pytest.mark.parametrize("name", evalrouter.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(evalrouter, name) is not None
    assert name in dir(evalrouter)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = evalrouter.nonsense


@pytest.mark.parametrize("name", [name for name in types.__all__ if inspect.isclass(getattr(types, name))])
def test_types_are_frozen_and_documented(name: str) -> None:
    kind: Any = getattr(types, name)
    if attrs.has(kind):
        assert kind.__setattr__ is not object.__setattr__
        documentation = inspect.getdoc(kind) or ""
        assert all(f"{field.name}: " in documentation for field in attrs.fields(kind)), name


def test_no_generated_or_httpx_type_shows() -> None:
    for client in (evalrouter.EvalRouter, evalrouter.AsyncEvalRouter):
        for name, value in vars(client).items():
            if inspect.isfunction(value) and not name.startswith("_"):
                shown = str(get_type_hints(value))
                assert "httpx" not in shown
                assert "evalrouter_api" not in shown
