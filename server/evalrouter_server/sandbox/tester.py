"""Runs hidden tests inside the sandbox, one process each. It is a script: nothing else is there to import.

Standard input holds a JSON object with `files` (the content by path), `scripts` and `seconds`. Each script is run by
`tested.py` over a fresh copy of the files, and each gets one line of JSON on standard output: how it ended, and the
text that it left.
"""

import json
import os
import subprocess
import sys
import tempfile

HOME = os.getcwd()  # noqa: PTH109 - a script for which nothing is imported that it can do without
LARGEST_RESULT = 65536


def main() -> None:
    """Run the tests that standard input holds."""
    job = json.load(sys.stdin)
    for number, script in enumerate(job["scripts"]):
        how, result = _test(f"{HOME}/{number}", job["files"], script, job["seconds"])
        sys.stdout.write(json.dumps({"how": how, "result": result}) + "\n")
        sys.stdout.flush()


def _test(folder: str, files: "dict[str, str]", script: str, seconds: float) -> "tuple[str, str | None]":
    for path, content in files.items():
        place = f"{folder}/{path}"
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
        with open(place, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(content)
    with tempfile.TemporaryFile() as left:
        command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "/folder/tested.py", folder, str(left.fileno())]
        try:
            done = subprocess.run(  # noqa: S603
                command,
                input=script.encode(),
                stdout=2,
                cwd=folder,
                pass_fds=[left.fileno()],
                timeout=seconds,
                start_new_session=True,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "timeout", None
        said = os.pread(left.fileno(), LARGEST_RESULT, 0)
    if done.returncode == 0 and said:
        return "reported", said.decode("utf-8", "replace")
    return ("error" if done.returncode == 1 else "exited"), None


if __name__ == "__main__":
    main()
