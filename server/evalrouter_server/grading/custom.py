"""The files of a grader that somebody wrote, as a manifest brings them: where they may lie, and how large they are."""

import base64
import re
from binascii import Error
from collections.abc import Mapping
from pathlib import PurePosixPath

SCRIPT = "grade.py"
EXECUTABLE = "grade"
MOST_FILES = 100
MOST_BYTES = 256 * 1024

_PART = re.compile(r"[\w-][\w. +@=,-]{0,99}")
_LONGEST_PATH = 200


def checked_files(files: Mapping[str, str]) -> dict[str, str]:
    """Check a grader's files.

    Args:
        files: What they hold, in base64, by their paths in the grader's folder.

    Raises:
        ValueError: A path leads out of the folder or hides, a file is not base64, there are too many or too much of
            them, or none is the program.
    """
    if SCRIPT not in files and EXECUTABLE not in files:
        raise ValueError(f"the grader has neither {SCRIPT} nor an executable file {EXECUTABLE}")
    if len(files) > MOST_FILES or sum(map(len, files.values())) > 4 * MOST_BYTES // 3 + 4 * MOST_FILES:
        raise ValueError(f"the grader has more than {MOST_FILES} files or {MOST_BYTES // 1024} KiB")
    for path in files:
        if len(path) > _LONGEST_PATH or not all(map(_PART.fullmatch, path.split("/"))):
            raise ValueError(f"{path[:80]!r} is no path of a file in the grader's folder")
    for path in files:
        if any(str(folder) in files for folder in PurePosixPath(path).parents):
            raise ValueError(f"{path!r} lies in a folder that is a file")
    decoded_files(files)
    return dict(sorted(files.items()))


def decoded_files(files: Mapping[str, str]) -> dict[str, bytes]:
    """What the files hold, by path.

    Args:
        files: The same in base64.

    Raises:
        ValueError: One is not base64.
    """
    decoded = {}
    for path, text in files.items():
        try:
            decoded[path] = base64.b64decode(text, validate=True)
        except (Error, ValueError):
            raise ValueError(f"{path!r} is not base64") from None
    return decoded
