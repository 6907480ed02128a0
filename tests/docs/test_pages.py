"""The Python of the README and the guides runs, with a double's model and the benchmark that needs no download.

The call that they begin with, all of `gsm8k`, is what `tests/e2e/test_replay.py` makes.
"""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from tests.docs.conftest import NewUser

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/getting-started.md", "docs/add-a-model.md", "docs/concepts.md", "docs/running-a-server.md")

BLOCKS = [
    pytest.param(block, id=f"{Path(page).stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", (CHECKOUT / page).read_text("utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_the_python_of_a_page_runs(block: str, user: NewUser) -> None:
    for written, run in (
        ('"gpt-5"', '"connection:double"'),
        ('"smollm2-135m"', '"connection:double"'),
        ('"gsm8k"', '"first-steps"'),
        ("http://127.0.0.1:8000/v1", user.provider.base_url),
    ):
        block = block.replace(written, run)
    user.python("-c", dedent(block))


def test_the_pages_have_python() -> None:
    assert len(BLOCKS) >= 5


@pytest.mark.parametrize(
    "page", [*sorted(CHECKOUT.glob("docs/*.md")), CHECKOUT / "README.md"], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
