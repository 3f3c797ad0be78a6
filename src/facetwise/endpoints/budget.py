"""A hard limit on what is sent: rows and calls, every attempt counted."""

from __future__ import annotations

import math
import threading

from facetwise.errors import EndpointError


class BudgetError(EndpointError):
    """What comes next would pass the limit, and was not sent."""


class Budget:
    """Counts rows and calls from any thread, and raises before a limit is passed."""

    def __init__(self, rows: int | None = None, calls: int | None = None) -> None:
        self._most_rows = math.inf if rows is None else rows
        self._most_calls = math.inf if calls is None else calls
        self._lock = threading.Lock()
        self._aside = 0, 0
        self.rows = 0
        self.calls = 0

    def set_aside(self, rows: int, calls: int) -> None:
        """Plan for less, so that so much is left at the end."""
        self._aside = rows, calls

    def affords(self, rows: int, calls: int) -> bool:
        """Whether that much more stays within both limits, less what is set aside."""
        return self._fits(rows + self._aside[0], calls + self._aside[1])

    def check(self, rows: int) -> None:
        """Raise if a call of that many rows would pass a limit."""
        if not self._fits(rows, 1):
            raise BudgetError(
                f"A call of {rows} rows would pass the budget: {self.rows} of "
                f"{self._most_rows} rows and {self.calls} of {self._most_calls} calls "
                "are spent. Raise max_queries or max_calls."
            )

    def spend(self, rows: int) -> None:
        """Count a call of that many rows, which is about to be sent."""
        with self._lock:
            self.check(rows)
            self._count(rows, 1)

    def recall(self, rows: int, calls: int) -> None:
        """Count what was spent before: answers that a journal gives again."""
        with self._lock:
            self._count(rows, calls)

    def _fits(self, rows: int, calls: int) -> bool:
        enough = self.rows + rows <= self._most_rows
        return enough and self.calls + calls <= self._most_calls

    def _count(self, rows: int, calls: int) -> None:
        self.rows += rows
        self.calls += calls
