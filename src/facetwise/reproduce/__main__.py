"""`python -m facetwise.reproduce`."""

import sys

from facetwise.reproduce.command import main

if __name__ == "__main__":  # processes that are spawned import this too
    sys.exit(main())
