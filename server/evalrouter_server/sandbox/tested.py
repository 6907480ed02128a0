"""Runs one hidden test's script over a repository and writes what it left: `tested.py FOLDER DESCRIPTOR`.

It is a script: nothing else is there to import. The code under test runs in this process and may do anything to it;
what is right is not known here.
"""

import json
import os
import sys


def main() -> None:
    """Run the script that standard input holds."""
    folder, descriptor = sys.argv[1], int(sys.argv[2])
    script = sys.stdin.buffer.read().decode()
    sys.argv[1:] = []
    sys.path[:0] = [f"{folder}/src", folder]
    names: dict[str, object] = {"__name__": "test"}
    exec(compile(script, "test.py", "exec"), names)  # noqa: S102 - what the sandbox is for
    os.pwrite(descriptor, json.dumps(names["result"]).encode(), 0)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
