"""`python -m evalrouter.langsmith`."""

import sys

from evalrouter.langsmith.command import main

if __name__ == "__main__":
    sys.exit(main())
