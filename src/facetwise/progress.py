"""A line that says how far a run is, for those who watch a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

Report = Callable[[int, int, int], None]
"""Called with rows done, rows in all, and questions asked."""

PATIENCE = 1.0
"""Seconds before the first line: short work stays silent."""

REDRAW = 0.2
"""Seconds between two lines."""


def reporter(progress: bool | Report | None) -> Report:
    """The function to call: the user's own, a line on the terminal, or silence."""
    if callable(progress):
        return progress
    if progress or (progress is None and sys.stderr.isatty()):
        return _Line()
    return _silent


def _silent(done: int, rows: int, asked: int) -> None:
    """Say nothing."""


class _Line:
    """Rewrites one line on standard error."""

    def __init__(self) -> None:
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def __call__(self, done: int, rows: int, asked: int) -> None:
        """Rewrite the line if it is time, and end it after the last row."""
        now = time.monotonic()
        if now < self._next and not (self._shown and done == rows):
            return
        self._next, self._shown = now + REDRAW, True
        end = "\n" if done == rows else ""
        print(
            f"\rexplained {done:,} of {rows:,} rows, {asked:,} questions asked ",
            end=end,
            file=sys.stderr,
            flush=True,
        )
