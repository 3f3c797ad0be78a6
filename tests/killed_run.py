"""A run that is killed: a process of its own, which dies at a given moment.

Called with the journal, a file that notes the rows of each call as it begins, and what
to die at: "call" or "statement" (of SQL), and which one.
"""

from __future__ import annotations

import itertools
import os
import signal
import sqlite3
import sys
from typing import Any

import numpy as np

import facetwise as fw
from facetwise.core.messages import Floats
from facetwise.endpoints.journal import connection
from fake_endpoints import Fake, network

X = np.random.default_rng(0).standard_normal((12, 4))
SERVICE = network(1)
SETTINGS: dict[str, Any] = {"batch_size": 16, "concurrency": 3}


def die() -> None:
    """End at once, with no chance to tidy up."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(journal: str, log: str, what: str, which: str) -> None:
    """Explain, and die on the way."""
    left = itertools.count(int(which), -1)
    sheet = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def answer(rows: Floats) -> Floats:
        os.write(sheet, b"%d\n" % len(rows))
        if what == "call" and next(left) <= 0:
            die()
        return SERVICE(rows)

    def count(statement: str) -> None:
        if next(left) <= 0:
            die()

    class Traced(sqlite3.Connection):
        """Tells of each statement that it begins."""

        def __init__(self, *args: Any, **settings: Any) -> None:
            """Open as usual."""
            super().__init__(*args, **settings)
            self.set_trace_callback(count)

    if what == "statement":
        plain = sqlite3.connect
        connection.sqlite3.connect = lambda *args, **settings: plain(  # type: ignore[attr-defined]
            *args, **settings, factory=Traced
        )
    fw.Explainer(Fake(answer), journal=journal, **SETTINGS)(X)


if __name__ == "__main__":
    main(*sys.argv[1:])
