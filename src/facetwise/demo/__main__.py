"""Shows the tour from the command line: python -m facetwise.demo."""

from __future__ import annotations

import sys

from facetwise.demo.tour import main
from facetwise.errors import FacetwiseError

FAILED = 2
"""The exit code when there is no tour, as something is missing."""


def run() -> int:
    """The tour, or a sentence on why there is none."""
    try:
        main()
    except FacetwiseError as error:
        print(error, file=sys.stderr)
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(run())
