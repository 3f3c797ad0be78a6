"""A line that says how far a run is, for those who watch a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

Report = Callable[[int, int, int, int], None]
"""Called with rows done, rows in all, questions asked, and rows certified."""

Progress = bool | Callable[..., None] | None
"""What users may ask for: True, False, a line for terminals only, or their own."""

PATIENCE = 1.0
"""Seconds before the first line: short work stays silent."""

REDRAW = 0.2
"""Seconds between two lines."""


def questions(done: int, rows: int, asked: int, certified: int) -> str:
    """What the line says of a run of questions."""
    return (
        f"explained {done:,} of {rows:,} rows, {certified:,} certified, {asked:,} "
        "questions asked "
    )


def reporter(
    progress: Progress, text: Callable[..., str] = questions
) -> Callable[..., None]:
    """The function to call: the user's own, a line on the terminal, or silence.

    It is called with how much is done, how much there is in all if that is known, and
    whatever else `text` has something to say about.
    """
    if callable(progress):
        return progress
    if progress or (progress is None and sys.stderr.isatty()):
        return _Line(text)
    return _silent


def _silent(done: int, total: int | None, *more: int) -> None:
    """Say nothing."""


class _Line:
    """Rewrites one line on standard error."""

    def __init__(self, text: Callable[..., str]) -> None:
        self._text = text
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def __call__(self, done: int, total: int | None, *more: int) -> None:
        """Rewrite the line if it is time, and end it when all is done."""
        now = time.monotonic()
        if now < self._next and not (self._shown and done == total):
            return
        self._next, self._shown = now + REDRAW, True
        end = "\n" if done == total else ""
        line = self._text(done, total, *more)
        print(f"\r{line}", end=end, file=sys.stderr, flush=True)
