"""Where the process begins: `evalrouter`, or `python -m evalrouter_cli`."""

import sys


def start() -> int:
    """Run the command; Ctrl-C while its modules are still loading ends it without a traceback.

    Returns:
        The exit code.
    """
    try:
        from evalrouter_cli.main import main
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(start())
