"""Keeps to a number of rows and of calls a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Rate:
    """Spaces calls out evenly; None is no limit.

    A service's own count may begin at any moment, so nothing is saved up in a pause
    to be sent at once after it.
    """

    def __init__(
        self,
        rows_per_second: float | None = None,
        calls_per_second: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._seconds_a_row = 1.0 / rows_per_second if rows_per_second else 0.0
        self._seconds_a_call = 1.0 / calls_per_second if calls_per_second else 0.0
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free = clock()

    def wait(self, rows: int) -> None:
        """Return when it is the turn of a call of that many rows."""
        wait = self._reserve(rows)
        if wait > 0.0:
            self._sleep(wait)

    def _reserve(self, rows: int) -> float:
        """Take the next free place; seconds until then."""
        lasts = max(self._seconds_a_call, rows * self._seconds_a_row)
        with self._lock:
            now = self._clock()
            begins = max(now, self._free)
            self._free = begins + lasts
        return begins - now
