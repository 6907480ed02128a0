"""`python -m evalrouter.agents.hosted`, which a server starts: `prepare AGENT [--allow-unverified]`, or `deliver`.

`prepare` writes what an agent needs as JSON to standard output. `deliver` reads a job as JSON from standard input.
"""

import asyncio
import json
import sys

from evalrouter.errors import EvalRouterError


def main(arguments: list[str]) -> int:
    """Does what the arguments say.

    Args:
        arguments: The command line's.

    Returns:
        The exit status: 0 where it was done, 1 with a line on standard error where it was not.
    """
    try:
        if arguments == ["deliver"]:
            from evalrouter.agents.hosted.deliver import deliver

            asyncio.run(deliver(json.load(sys.stdin)))
        elif arguments[:1] == ["prepare"] and len(arguments) > 1:
            from evalrouter.agents.hosted.prepare import prepare

            json.dump(prepare(arguments[1], allow_unverified="--allow-unverified" in arguments[2:]), sys.stdout)
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except EvalRouterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
