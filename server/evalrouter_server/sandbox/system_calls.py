"""The system calls that a sandbox refuses, as a program of the kernel's filter (seccomp, classic BPF).

Refused is what takes memory that no limit counts, since it belongs to no process and no folder of the sandbox (memory
files, System V objects, shared memory without a file), and what a Python program does not need but attackers do: keys,
which are inherited from the server and outlive the sandbox, and the parts of the kernel that holes are found in.
A refused call is answered as by a kernel that does not have it, so that programs take another way.
"""

import errno
import platform
import struct
from dataclasses import dataclass

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE, _FOURTH_ARGUMENT = 0, 4, 40
_SHARED_WITHOUT_A_FILE = 0x01 | 0x20
_FIRST_X32 = 0x40000000

_SAME_EVERYWHERE = {"io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "memfd_secret": 447}
_GENERIC = _SAME_EVERYWHERE | {
    "semget": 190,
    "shmget": 194,
    "msgget": 186,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "perf_event_open": 241,
    "memfd_create": 279,
    "bpf": 280,
    "userfaultfd": 282,
}
_X86_64 = _SAME_EVERYWHERE | {
    "shmget": 29,
    "semget": 64,
    "msgget": 68,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "perf_event_open": 298,
    "memfd_create": 319,
    "bpf": 321,
    "userfaultfd": 323,
}


@dataclass(frozen=True, slots=True)
class _Machine:
    """The kernel's names of a machine's architecture and calls."""

    architecture: int
    mmap: int
    refused: dict[str, int]


_MACHINES = {
    "x86_64": _Machine(0xC000003E, 9, _X86_64),
    "aarch64": _Machine(0xC00000B7, 222, _GENERIC),
    "riscv64": _Machine(0xC00000F3, 222, _GENERIC),
}


def system_call_filter(machine: str = platform.machine()) -> bytes:
    """The filter's program.

    Args:
        machine: The processor's type, as `uname -m` says it.

    Raises:
        ValueError: The numbers of its system calls are not known.
    """
    known = _MACHINES.get(machine)
    if known is None:
        raise ValueError(f"there is no filter of system calls for {machine!r}, only for {', '.join(_MACHINES)}")
    absent, forbidden = (_RETURN, 0, 0, _REFUSE | errno.ENOSYS), (_RETURN, 0, 0, _REFUSE | errno.EPERM)
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, known.architecture),
        absent,
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _FIRST_X32),
        absent,
    ]
    for number in known.refused.values():
        program += [(_JUMP_EQUAL, 0, 1, number), absent]
    program += [
        (_JUMP_EQUAL, 0, 4, known.mmap),
        (_LOAD, 0, 0, _FOURTH_ARGUMENT),
        (_AND, 0, 0, _SHARED_WITHOUT_A_FILE),
        (_JUMP_EQUAL, 0, 1, _SHARED_WITHOUT_A_FILE),
        forbidden,
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
