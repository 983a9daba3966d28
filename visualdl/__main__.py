"""`python -m visualdl` is the command `visualdl`."""

import sys

from visualdl.server.cli import main

if __name__ == "__main__":
    sys.exit(main())
