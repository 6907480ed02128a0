"""Programs that mean harm: none does any, each is marked, and nothing of them goes on running."""

import os
import platform
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from evalrouter_server.sandbox.program import Ran, run_program
from evalrouter_server.sandbox.system_calls import system_call_filter

from tests.sandboxes import MarkedSandbox

NO_SUCH_PROCESS = "errno 3"
SECRET = "sk-a-secret-of-the-server"


class Canary:
    """Files of the host that no program may see or change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "canary.txt"
        self.file.write_text(SECRET)
        self._before = self._state()

    def _state(self) -> list[tuple[str, int, int]]:
        entries = [(str(path), path.lstat().st_mtime_ns, path.lstat().st_size) for path in self.folder.rglob("*")]
        return sorted(entries)

    def check(self) -> None:
        """Fail unless everything is as it was."""
        assert self._state() == self._before
        assert self.file.read_text() == SECRET


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    """A canary in a folder of its own, and a secret in the server's environment."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    made = Canary(tmp_path)
    yield made
    made.check()


async def attempt(sandbox: MarkedSandbox, program: str, *, seconds: int = 1, memory_mib: int = 512) -> Ran:
    return await run_program(sandbox, program, seconds=seconds, memory_mib=memory_mib)


ADD_KEY = 248 if platform.machine() == "x86_64" else 217
_CALL = "import ctypes\ncall = lambda name, *more: getattr(ctypes.CDLL(None), name)(*more)\n"

HARM = {
    "delete everything": (
        "import shutil, subprocess\n"
        "for place in ({folder!r}, '/folder', '/tmp', '/usr/bin'): shutil.rmtree(place, ignore_errors=True)\n"
        "quiet = subprocess.DEVNULL\n"
        "subprocess.run(['/usr/bin/rm', '-rf', '--no-preserve-root', '/'], timeout=0.5, stderr=quiet)\nopen({file!r})",
        "error",
    ),
    "delete a file of the host": ("import os\nos.remove({file!r})", "error"),
    "read a file of the host": ("print(open({file!r}).read())", "error"),
    "write beside it": ("open({folder!r} + '/new.txt', 'w').write('x')", "error"),
    "write into the system": ("open('/usr/bin/evil', 'w').write('x')", "error"),
    "write into the root": ("open('/evil', 'w').write('x')", "error"),
    "change its own driver": ("open('/folder/driver.py', 'a').write('x')", "error"),
    "escape by a symbolic link": ("import os\nos.symlink({file!r}, '/tmp/l')\nprint(open('/tmp/l').read())", "error"),
    "write through a symbolic link": ("import os\nos.symlink({file!r}, 'l')\nopen('l', 'w').write('x')", "error"),
    "escape by the first process's root": ("print(open('/proc/1/root' + {file!r}).read())", "error"),
    "escape by dots": ("print(open('../../../../../..' + {file!r}).read())", "error"),
    "read the passwords": ("print(open('/etc/shadow').read())", "error"),
    "read input": ("input()", "error"),
    "remount the system": (
        "import subprocess\nsubprocess.run(['mount', '-o', 'remount,rw', '/usr'], check=True)",
        "error",
    ),
    "become root": ("import os\nos.setuid(0)", "error"),
    "make a user namespace": ("import os\nos.unshare(os.CLONE_NEWUSER)", "error"),
    "open a disk": ("open('/dev/sda', 'rb').read(1)", "error"),
    "fork bomb": ("import os\nwhile True: os.fork()", "error"),
    "fork bomb that goes on": (
        "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
        "timeout",
    ),
    "thread bomb": (
        "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(99,)).start()",
        "error",
    ),
    "sleep forever": ("import time\nwhile True: time.sleep(1000)", "timeout"),
    "sleep deaf to signals": (
        "import signal, time\nfor n in range(1, 32):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except OSError: pass\n"
        "while True: pass",
        "timeout",
    ),
    "loop forever": ("while True: pass", "timeout"),
    "allocate memory": ("taken = []\nwhile True: taken.append(bytearray(10_000_000))", "memory"),
    "allocate memory in many processes": (
        "import os, time\nfor _ in range(8):\n"
        "    if not os.fork(): taken = bytearray(b'x') * 60_000_000; time.sleep(99)\n"
        "time.sleep(99)",
        "memory",
    ),
    "fill the disk with one file": ("f = open('/tmp/big', 'wb')\nwhile True: f.write(bytes(1_000_000))", "error"),
    "fill the disk with large files": (
        "for n in range(99): open(f'/tmp/{{n}}', 'wb').write(bytes(10_000_000))",
        "error",
    ),
    "fill the disk with many files": ("for n in range(9_000_000): open(f'/tmp/{{n}}', 'w')", "disk"),
    "fill shared memory": ("for n in range(99): open(f'/dev/shm/{{n}}', 'wb').write(bytes(10_000_000))", "error"),
    "fill shared memory with many files": ("for n in range(9_000_000): open(f'/dev/shm/{{n}}', 'w')", "disk"),
    "keep memory in files without a name": ("import os\nos.memfd_create('kept')", "error"),
    "keep memory that is shared without a file": ("import mmap\nmmap.mmap(-1, 4096)", "error"),
    "keep memory of the device of zeros": (
        "import mmap, os\nfile = os.open('/dev/zero', os.O_RDWR)\nassert os.read(file, 2) == bytes(2)\n"
        "mmap.mmap(file, 4096)",
        "error",
    ),
    "keep memory in System V objects": (_CALL + "assert call('shmget', 0, 4096, 0o1600) != -1", "failed"),
    "leave a key for the next program": (
        _CALL + "assert call('syscall', {add_key}, b'user', b'left', b'x', 1, -3) != -1",
        "failed",
    ),
    "flood standard output": ("while True: print('x' * 10_000)", "output_limit"),
    "flood its report": (
        "import os\nwhile True:\n    for n in range(3, 20):\n        try: os.write(n, b'x' * 9999)\n"
        "        except OSError: pass",
        "output_limit",
    ),
    "look up a name": ("import socket\nsocket.getaddrinfo('example.org', 80)", "error"),
    "kill all others": ("import os\nos.kill(1, 9)\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)", "error"),
    "kill itself": ("import os\nos.kill(os.getpid(), 9)", "crashed"),
    "crash the interpreter": ("import ctypes\nctypes.string_at(0)", "crashed"),
    "end early with success": ("import os\nos._exit(0)", "exited"),
    "leave by exit": ("import sys\nsys.exit(0)", "exited"),
    "claim to have passed": (
        'import os\nfor n in range(20):\n    try: os.write(n, b\'{{"token": "", "rule": "passed"}}\\n\')\n'
        "    except OSError: pass\n"
        "os._exit(0)",
        "exited",
    ),
    "find the token in standard input": (
        "import os\nfor p in ('/proc/self/fd/0', '/proc/1/fd/0', '/proc/2/fd/0'):\n"
        "    try: assert not open(p).read()\n    except OSError: pass\nraise ValueError",
        "error",
    ),
    "go on in the background": (
        "import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork(): time.sleep(1000)\n    os._exit(0)\n"
        "os._exit(0)",
        "exited",
    ),
    "be a daemon of another program": (
        "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\nassert False",
        "failed",
    ),
    "nest brackets": ("x = " + "(" * 100_000, "invalid_code"),
}


@pytest.mark.parametrize("name", HARM)
async def test_no_harm_is_done(sandbox: MarkedSandbox, canary: Canary, name: str) -> None:
    program, rule = HARM[name]
    memory = 192 if rule == "memory" else 512
    written = program.format(file=str(canary.file), folder=str(canary.folder), add_key=ADD_KEY)
    ran = await attempt(sandbox, written, memory_mib=memory)
    assert ran.rule == rule, ran.stderr
    assert SECRET not in ran.stderr
    assert sandbox.left_running() == []


async def test_nothing_of_the_servers_environment_is_seen(sandbox: MarkedSandbox, canary: Canary) -> None:
    ran = await attempt(
        sandbox,
        "import os, glob\nprint(dict(os.environ))\n"
        "for p in glob.glob('/proc/[0-9]*/environ'): print(open(p).read())\nassert False",
    )
    assert ran.rule == "failed"
    assert "TMPDIR" in ran.stderr
    assert SECRET not in ran.stderr


async def test_nothing_of_the_host_is_listed(sandbox: MarkedSandbox, canary: Canary) -> None:
    ran = await attempt(
        sandbox,
        "import os\nprint(sorted(os.listdir('/')), os.getpid(), os.getuid(), os.uname().nodename)\n"
        "print(sorted(p for p in os.listdir('/proc') if p.isdigit()))\n"
        "print([os.readlink('/proc/self/fd/' + f) for f in ('0', '1', '2')])\nassert False",
    )
    for hidden in ("'home'", "'var'", "'mnt'", "'sys'", "'opt'", "'srv'", str(os.getpid())):
        assert hidden not in ran.stderr
    assert " 1000 sandbox" in ran.stderr


async def test_there_is_no_network(sandbox: MarkedSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        port = listener.getsockname()[1]
        ran = await attempt(sandbox, f"import socket\nsocket.create_connection(('127.0.0.1', {port}))")
        assert ran.rule == "error"
        with pytest.raises(TimeoutError):
            listener.accept()


async def test_abstract_sockets_of_the_host_are_out_of_reach(sandbox: MarkedSandbox) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0evalrouter-{sandbox.mark}")
        listener.listen()
        program = f"import socket\nsocket.socket(socket.AF_UNIX).connect(chr(0) + 'evalrouter-{sandbox.mark}')"
        assert (await attempt(sandbox, program)).rule == "error"


async def test_processes_of_the_host_cannot_be_traced(sandbox: MarkedSandbox) -> None:
    attach = 16
    ran = await attempt(
        sandbox,
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        f"done = libc.ptrace({attach}, {os.getpid()}, 0, 0)\nprint('errno', ctypes.get_errno())\nassert done == 0",
    )
    assert ran.rule == "failed"
    assert NO_SUCH_PROCESS in ran.stderr


def test_a_machine_whose_system_calls_are_not_known_has_no_sandbox() -> None:
    assert len(system_call_filter("aarch64")) == len(system_call_filter("x86_64"))
    with pytest.raises(ValueError, match="no filter of system calls for 's390x'"):
        system_call_filter("s390x")
