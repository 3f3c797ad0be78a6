"""Keeps to a number of rows and of calls a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from facetwise.core.messages import Floats
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.layer import Layer


class RateLimit(Layer):
    """Spaces calls out evenly; None is no limit.

    A service's own count may begin at any moment, so nothing is saved up in a pause
    to be sent at once after it.
    """

    def __init__(
        self,
        inner: Endpoint,
        rows_per_second: float | None = None,
        calls_per_second: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(inner)
        self._seconds_a_row = 1.0 / rows_per_second if rows_per_second else 0.0
        self._seconds_a_call = 1.0 / calls_per_second if calls_per_second else 0.0
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free = clock()

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C), asked for when it is their turn."""
        wait = self._reserve(len(X))
        if wait > 0.0:
            self._sleep(wait)
        return self._inner.scores(X)

    def _reserve(self, rows: int) -> float:
        """Take the next free place; seconds until then."""
        lasts = max(self._seconds_a_call, rows * self._seconds_a_row)
        with self._lock:
            now = self._clock()
            begins = max(now, self._free)
            self._free = begins + lasts
        return begins - now
