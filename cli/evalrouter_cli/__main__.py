"""`python -m evalrouter_cli` is the same as `evalrouter`."""

import sys

from evalrouter_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
