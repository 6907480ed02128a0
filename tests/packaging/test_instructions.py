"""Until we publish, nothing that a user reads may send them to an index for one of our names."""

import re
from pathlib import Path

import pytest

from tests.packaging.conftest import CHECKOUT

OURS = r"(?:evalrouter|evalrouter-sdk|evalrouter-server|kimpton-evalrouter-sdk)"
INSTALL = re.compile(
    r"(?:pip3?|uv pip|pipx|uv tool|poetry|pdm|rye|conda|mamba)\s+(?:install|add|download|run|upgrade)\b[^\n`]*?"
    rf"(?<![\w./-]){OURS}(?![\w./-])|(?:uvx|uv add|pipx run)\s[^\n`]*?(?<![\w./-]){OURS}(?![\w./-])",
)
READ_BY_USERS = ("*.md", "*.py", "*.sh", "*.yaml", "*.toml", "Makefile")
SKIPPED = {".peers", ".venv", ".tools", ".git", "tests", "_build", "dist", "build"}


def offending(text: str) -> list[str]:
    return [match.group(0) for match in INSTALL.finditer(text)]


@pytest.mark.parametrize(
    "command",
    [
        "pip install evalrouter",
        "python -m pip install evalrouter-sdk",
        "pip install -U 'evalrouter-sdk[tracing]'",
        'pip install "evalrouter[local]==1.0.0"',
        "uv tool install evalrouter",
        "uv add evalrouter-server",
        "uvx evalrouter run",
        "pipx install --force evalrouter",
    ],
)
def test_the_search_knows_such_commands(command: str) -> None:
    assert offending(command)


@pytest.mark.parametrize(
    "command",
    [
        "pip install ./cli",
        "pip install dist/evalrouter-1.0.0-py3-none-any.whl",
        "pip install dist/evalrouter_sdk-*.whl dist/evalrouter-*.whl",
        "uv tool install ./cli --with-editable .",
        "pip install -e . -e ./cli -e ./server",
        "evalrouter run gsm8k",
    ],
)
def test_the_search_allows_checkout_and_wheels(command: str) -> None:
    assert not offending(command)


def files() -> list[Path]:
    return [
        path
        for pattern in READ_BY_USERS
        for path in CHECKOUT.rglob(pattern)
        if not SKIPPED & set(path.relative_to(CHECKOUT).parts)
    ]


def test_no_text_of_ours_installs_from_an_index() -> None:
    found = {
        f"{path.relative_to(CHECKOUT)}: {command}"
        for path in files()
        for command in offending(path.read_text(encoding="utf-8"))
    }
    assert not found
