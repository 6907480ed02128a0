"""The policy `ask`, at a terminal of the tests' own."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.acp.working import alive, new_token, until

PROGRAM = """
import asyncio, sys
from pathlib import Path
from tests.agents.acp.working import Recorder, context_of, hostile

recorder = Recorder()
agent = hostile("permissions", sys.argv[2], permission="ask")
asyncio.run(agent.run(context_of(Path(sys.argv[1]) / "task", recorder)))
Path(sys.argv[1], "answer").write_text(recorder.submitted[0])
"""


@pytest.mark.timeout(240)
def test_each_request_is_asked_at_the_terminal(tmp_path: Path) -> None:
    token, (master, slave) = new_token(), pty.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), token], stdin=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    shown = b""
    try:
        for number, answer in enumerate((b"y", b"n", b"", b"yes", b"what", b"N", b"Y"), start=1):
            while shown.count(b"[y/N]") < number:
                shown += os.read(master, 4096)
            os.write(master, answer + b"\n")
        until(lambda: (tmp_path / "answer").exists())
        asking.wait(60)
    finally:
        asking.kill()
        asking.wait()
        os.close(master)
    kinds = ["allow_once!" if yes else "reject_once!" for yes in (1, 0, 0, 1, 0, 0, 1)]
    assert (tmp_path / "answer").read_text() == " ".join(kinds)
    assert b"The agent wants to: edit outside" in shown
    assert alive(token) == []
