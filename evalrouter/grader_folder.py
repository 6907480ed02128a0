"""A folder with a grader of your own: a program that grades one answer, which the server runs in its sandbox only."""

import base64
from pathlib import Path

from evalrouter.errors import InvalidArgumentError

PROGRAMS = ("grade.py", "grade")
MOST_FILES = 100
MOST_BYTES = 256 * 1024


def read_grader_folder(folder: Path) -> dict[str, str]:
    """Reads a grader's folder; hidden files and compiled Python are left out.

    Args:
        folder: The folder.

    Returns:
        What its files hold, in base64, by their paths in it.

    Raises:
        InvalidArgumentError: It cannot be read, has no program or a symbolic link, or holds more than a grader may.
    """
    if not folder.is_dir():
        raise InvalidArgumentError(f"{folder} is no folder: grader.folder names the folder with the grader.")
    files: dict[str, bytes] = {}
    left = MOST_BYTES
    try:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if any(part.startswith(".") or part == "__pycache__" for part in name.parts):
                continue
            if path.is_symlink():
                raise InvalidArgumentError(f"{path} is a symbolic link: put the file itself into the grader's folder.")
            if path.is_dir():
                continue
            if not path.is_file():
                raise InvalidArgumentError(f"{path} is no file: a grader's folder holds files only.")
            with path.open("rb") as file:
                data = file.read(left + 1)
            left -= len(data)
            if left < 0 or len(files) == MOST_FILES:
                raise InvalidArgumentError(
                    f"{folder} holds more than {MOST_FILES} files or {MOST_BYTES // 1024} KiB, which is no grader: "
                    "leave out what it does not need."
                )
            files[name.as_posix()] = data
    except OSError as error:
        raise InvalidArgumentError(f"{error.filename or folder} cannot be read ({error.strerror}).") from error
    if not any(program in files for program in PROGRAMS):
        raise InvalidArgumentError(f"{folder} has neither {PROGRAMS[0]} nor an executable file {PROGRAMS[1]}.")
    return {name: base64.b64encode(data).decode("ascii") for name, data in files.items()}
