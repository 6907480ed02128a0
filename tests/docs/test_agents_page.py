"""The Python of the page about agents in Python runs, from top to bottom as one program."""

import re
from pathlib import Path

from tests.docs.conftest import NewUser

PAGE = Path(__file__).resolve().parents[2] / "docs/agents-python.md"


def test_the_page_runs_from_top_to_bottom(user: NewUser) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 4
    program = "\n".join(blocks).replace('"gpt-5"', '"connection:double"').replace('"gsm8k"', '"first-steps"')
    said = user.python("-c", program).splitlines()
    assert [line for line in said if line.startswith("task.leased")]
    assert said[-1].endswith("run.ended None None")
