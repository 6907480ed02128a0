"""The command line of bubblewrap: what a command sees of the machine, and what it may do.

A command has namespaces of its own for users, processes, network, IPC, host name and cgroups, and cannot make further
user namespaces. It sees the system's programs and libraries and the Python that the server runs on, all read-only, its
own files, and private folders in memory; it may not use the system calls of `evalrouter_server.sandbox.system_calls`.
Limits are set from inside, where RLIMIT_NPROC counts the processes of the
sandbox's own user namespace alone (since Linux 5.14).

Where the server is root, bubblewrap must not be: root's user is exempt from RLIMIT_NPROC and owns the host's files. So
it runs as nobody's user, in a mount namespace in which what is to be shown is reachable for that user, whatever folders
lead there. Nothing stands between the server and it, so that the server's death reaches it.
"""

import os
import resource
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from evalrouter_server.sandbox.command import FOLDER, HOME, Command, Limits, Mount

NOBODY = 65534
"""The user and group that a sandbox belongs to on the host where the server is root."""

USER = 1000
"""The user and group that a command believes to be."""

PYTHON = os.path.realpath(sys.executable)
"""The path, outside and inside, of the Python that the server runs on."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")
_ISOLATION = (
    "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup --disable-userns"
    f" --die-with-parent --new-session --hostname sandbox --uid {USER} --gid {USER} --clearenv"
).split()
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108 - inside
_SHARED_MEMORY_BYTES = 16 * 1024**2
_STAGES = ("/mnt", "/media", "/srv", "/opt", "/tmp")  # noqa: S108 - covered by a private folder before it is used
_STAGING = f"""
stage=$1
mount -t tmpfs -o mode=0755 stage "$stage"
number=0
while shift; [ "$1" != -- ]; do
    if [ -d "$1" ]; then mkdir "$stage/$number"; else : >"$stage/$number"; fi
    mount --bind "$1" "$stage/$number"
    number=$((number + 1))
done
shift
exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --inh-caps=-all -- "$@"
"""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a command is started.

    Attributes:
        arguments: The command line.
        options: What bubblewrap reads from the descriptor that `arguments` name.
    """

    arguments: list[str]
    options: bytes


def python_prefix() -> Path:
    """The folder of the Python that the server runs on.

    Raises:
        ValueError: It holds somebody's home folder or is the root folder, so that it cannot be shown.
    """
    prefix = Path(os.path.realpath(sys.base_prefix))
    if Path.home().resolve().is_relative_to(prefix) or prefix == Path("/"):
        raise ValueError(f"Python is installed in {prefix}, which holds more than Python")
    return prefix


def private_folders(limits: Limits) -> dict[str, int]:
    """The folders that a command may write to, with their sizes in bytes.

    Args:
        limits: The command's.
    """
    return {"/dev/shm": _SHARED_MEMORY_BYTES, "/tmp": limits.disk_bytes}  # noqa: S108 - inside


def launch(
    bubblewrap: str,
    command: Command,
    *,
    file_descriptors: dict[str, int],
    options: int,
    system_calls: int,
    status: int,
    is_root: bool,
) -> Launch:
    """How to start a command.

    Args:
        bubblewrap: The path of `bwrap`.
        command: The command.
        file_descriptors: For each of the command's files, the descriptor that it is read from.
        options: The descriptor that bubblewrap reads its options from, so that nobody sees them in a list of processes.
        system_calls: The descriptor that it reads the filter of system calls from.
        status: The descriptor that it reports to.
        is_root: Whether the server is root.

    Raises:
        ValueError: The server's Python cannot be shown.
    """
    mounts = [Mount(python_prefix(), str(python_prefix())), *command.mounts]
    staged: list[str] = []
    if is_root:
        stage = _stage([Path(bubblewrap), *(mount.source for mount in mounts)])
        staged = _staged(stage, mounts)
        mounts = [replace(mount, source=Path(stage, str(number))) for number, mount in enumerate(mounts)]
    view = _view(command, mounts, file_descriptors)
    inside = ["--json-status-fd", str(status), "--seccomp", str(system_calls), *_ISOLATION, *view]
    arguments = [*staged, bubblewrap, "--args", str(options), "--", *_limited(command)]
    return Launch(arguments, b"".join(os.fsencode(option) + b"\0" for option in inside))


def _stage(needed: list[Path]) -> str:
    """A folder of the host that can be covered, because nothing that is needed lies in it.

    Raises:
        ValueError: There is none.
    """
    for place in _STAGES:
        if Path(place).is_dir() and not any(path.resolve().is_relative_to(place) for path in needed):
            return place
    raise ValueError(f"each of {', '.join(_STAGES)} is missing or holds what the sandbox is to show")


def _staged(stage: str, mounts: list[Mount]) -> list[str]:
    """What comes before bubblewrap where the server is root."""
    private = ["unshare", "--mount", "--propagation", "private", "--"]
    sources = [str(mount.source.absolute()) for mount in mounts]
    return [*private, "/bin/sh", "-euc", _STAGING, "sh", stage, *sources, "--"]


def _view(command: Command, mounts: list[Mount], file_descriptors: dict[str, int]) -> list[str]:
    options: list[str] = []
    for place in _SYSTEM:
        if os.path.islink(place):  # noqa: PTH114 - as /bin is where the system is merged into /usr
            options += ["--symlink", os.readlink(place), place]  # noqa: PTH115
        else:
            options += ["--ro-bind-try", place, place]
    options += ["--proc", "/proc", "--dev", "/dev"]
    options += ["--dev-bind", "/dev/full", "/dev/zero"]  # as many zeros, but no shared memory that no limit counts
    for folder, size in private_folders(command.limits).items():
        options += ["--size", str(size), "--tmpfs", folder]
    options += ["--remount-ro", "/dev", "--dir", HOME]
    for mount in mounts:
        options += ["--bind" if mount.writable else "--ro-bind", str(mount.source), mount.target]
    for folder in _hidden(command):
        options += ["--tmpfs", folder, "--remount-ro", folder]
    options += ["--dir", FOLDER]
    for path, descriptor in file_descriptors.items():
        options += ["--perms", "0555", "--file", str(descriptor), f"{FOLDER}/{path}"]
    options += ["--remount-ro", "/", "--chdir", HOME]
    for name, value in (_ENVIRONMENT | dict(command.environment)).items():
        options += ["--setenv", name, value]
    return options


def _hidden(command: Command) -> list[str]:
    """The folders of this package that what is shown holds: they have what is right."""
    own = Path(__file__).resolve().parent.parent
    shown = [python_prefix(), Path("/usr"), *(mount.source for mount in command.mounts)]
    return [str(own)] if any(own.is_relative_to(each) for each in shown) else []


def _limited(command: Command) -> list[str]:
    limits = command.limits
    values = {
        "fsize": (resource.RLIMIT_FSIZE, limits.file_bytes),
        "nofile": (resource.RLIMIT_NOFILE, limits.open_files),
        "nproc": (resource.RLIMIT_NPROC, limits.processes),
        "core": (resource.RLIMIT_CORE, 0),
    }
    if limits.bounds_address_space:
        values["as"] = (resource.RLIMIT_AS, limits.memory_bytes)
    options = [f"--{name}={_within_hard_limit(which, value)}" for name, (which, value) in values.items()]
    cpu = _within_hard_limit(resource.RLIMIT_CPU, limits.cpu_seconds + 1)
    options.append(f"--cpu={min(limits.cpu_seconds, cpu)}:{cpu}")  # a signal first, so that the end can be told
    return ["prlimit", *options, "--", "choom", "-n", "1000", "--", *command.arguments]


def _within_hard_limit(which: int, value: int) -> int:
    hard = resource.getrlimit(which)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)
