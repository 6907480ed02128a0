"""What `import evalrouter` loads, counted in fresh interpreters."""

import subprocess
import sys

import pytest

NEVER = (
    "evalrouter_server",
    "evalrouter_cli",
    "opentelemetry",
    "acp",
    "a2a",
    "langsmith",
    "pydantic",
    "fastapi",
    "sqlalchemy",
)


def modules(statement: str) -> set[str]:
    """The modules that `statement` loads beyond those of a bare interpreter."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("statement", ["import evalrouter", "from evalrouter import EvalRouter, AsyncEvalRouter"])
def test_an_import_loads_no_server_and_no_optional_part(statement: str) -> None:
    assert not {name for name in modules(statement) if name.split(".")[0] in NEVER}


def test_import_evalrouter_loads_no_more_modules_than_half_again_of_httpx() -> None:
    assert len(modules("import evalrouter")) <= 1.5 * len(modules("import httpx"))


def test_the_client_itself_adds_little_to_httpx() -> None:
    client = modules("from evalrouter import EvalRouter")
    assert len(client) <= 1.6 * len(modules("import httpx"))
    resources = {
        "evalrouter._sync.account",
        "evalrouter._sync.catalog",
        "evalrouter._sync.runs",
        "evalrouter.convert.runs",
    }
    assert not client & resources
