"""What a measurement ran on, in one line."""

import os
import platform
import sqlite3
from pathlib import Path


def machine() -> str:
    """Cores, memory in GiB, kind of CPU, and the versions that matter."""
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {gibibytes:.1f} GiB, {cpu()}, Python {platform.python_version()},"
        f" SQLite {sqlite3.sqlite_version}"
    )


def cpu() -> str:
    """The kind of CPU, as far as the system says."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
