"""The server's own package holds what is right, and is in no sandbox, whatever is shown."""

from pathlib import Path

import evalrouter_server
from evalrouter_server.sandbox import Command, Mount
from evalrouter_server.sandbox.bubblewrap import PYTHON

from tests.sandboxes import MarkedSandbox

PACKAGE = Path(evalrouter_server.__path__[0]).resolve()
PROGRAM = "import os; print(sorted(os.listdir('/shown')), os.listdir('{package}'))"


async def test_the_servers_package_is_empty_where_its_folder_is_shown(sandbox: MarkedSandbox) -> None:
    mounts = (Mount(PACKAGE.parent, "/shown"), Mount(PACKAGE.parent, str(PACKAGE.parent)))
    program = PROGRAM.format(package=PACKAGE)
    outcome = await sandbox.run(Command((PYTHON, "-I", "-S", "-c", program), mounts=mounts))
    shown, _, own = outcome.stdout.decode().strip().partition("] ")
    assert (outcome.exit_status, own) == (0, "[]"), outcome.stderr
    assert "evalrouter_server" in shown
