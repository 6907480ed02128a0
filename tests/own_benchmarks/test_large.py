"""A large file goes through client and server in bounded memory."""

import json
import re
import sys
from pathlib import Path

import pytest

from evalrouter import EvalRouter
from tests.e2e.conftest import data_dir
from tests.e2e.programs import program, script, serve

__all__ = ["data_dir"]

ROW_BYTES = 640
MOST_MIB_CLIENT = 24
MOST_MIB_SERVER = 96

CREATE = r"""
    import re, sys
    from pathlib import Path
    from evalrouter import EvalRouter

    def peak():
        return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) // 1024

    with EvalRouter(base_url=sys.argv[1], api_key=sys.argv[2]) as client:
        client.benchmarks.check(sys.argv[3] + "/small.yaml")
        before = peak()
        check = client.benchmarks.check(sys.argv[3] + "/large.yaml")
        made = client.benchmarks.create(sys.argv[3] + "/large.yaml")
        print(check.item_count, made.task_count, peak() - before)
"""

MANIFEST = """
slug: {name}
source: {{kind: file, path: {name}.jsonl}}
rows: {{inputs: {{question: q}}, target: a}}
protocol: {{user: "{{question}}"}}
grader: {{kind: exact}}
"""


def peak_mib(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) // 1024


def write(folder: Path, name: str, count: int) -> None:
    with (folder / f"{name}.jsonl").open("w") as file:
        for number in range(count):
            file.write(json.dumps({"q": f"{number:08d} " + "words " * (ROW_BYTES // 6), "a": str(number)}) + "\n")
    (folder / f"{name}.yaml").write_text(MANIFEST.format(name=name))


@pytest.mark.skipif(sys.platform != "linux", reason="reads peaks of memory from /proc")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("count", [5_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_a_large_file_takes_bounded_memory(count: int, data_dir: Path, tmp_path: Path) -> None:
    write(tmp_path, "small", 100)
    write(tmp_path, "large", count)
    with serve(f"sqlite:///{tmp_path}/server.db", data_dir) as service:
        assert service.owner_key is not None
        with EvalRouter(base_url=service.base_url, api_key=service.owner_key) as client:
            client.benchmarks.check(tmp_path / "small.yaml")
        before = peak_mib(service.process.pid)
        with program(*script(CREATE, service.base_url, service.owner_key, str(tmp_path))) as process:
            stdout, stderr = process.communicate(timeout=800)
        assert process.returncode == 0, stderr
        checked, made, grown = map(int, stdout.split())
        server = peak_mib(service.process.pid) - before
    print(f"{(tmp_path / 'large.jsonl').stat().st_size / 1e6:.0f} MB: client +{grown} MiB, server +{server} MiB")
    assert (checked, made) == (count, count)
    assert grown <= MOST_MIB_CLIENT
    assert server <= MOST_MIB_SERVER
