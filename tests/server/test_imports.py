"""What starting the embedded server loads, by name and in fresh interpreters: what is not needed must not delay it."""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, sys
from pathlib import Path
from evalrouter_server.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
server.start()
loaded = sorted(sys.modules)
server.stop()
print(json.dumps(loaded))
"""

NEVER = {
    "asyncpg": "SQLite has its own driver",
    "evalrouter_cli": "the server stands alone",
    "genai_prices": "prices are read when one is asked for",
    "httpx": "the server's client of providers is aiohttp",
    "httpx2": "it comes in with the prices",
    "numpy": "only an ending counts",
    "rich": "nothing is printed",
    "scipy": "only an ending counts",
    "sqlalchemy.ext.asyncio": "only PostgreSQL is driven by it",
    "sqlalchemy.orm": "there are no mapped classes",
    "typer": "only `python -m evalrouter_server` has a command line",
    "xllamacpp": "the built-in model runs in a process of its own",
}


def started(folder: Path) -> set[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return set(json.loads(done.stdout))


def test_a_start_loads_only_what_it_needs(tmp_path: Path) -> None:
    started(tmp_path)
    loaded = started(tmp_path)
    assert {name: why for name, why in NEVER.items() if name in loaded} == {}
    assert "alembic" not in loaded, "a database in order needs no migration"
