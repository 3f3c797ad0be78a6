"""A hard limit on what is sent: rows and calls, every attempt counted."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from facetwise.core.messages import Floats
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.layer import Layer
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

    def spend(self, rows: int) -> None:
        """Count a call of that many rows, which is about to be sent."""
        with self._lock:
            if not self._fits(rows, 1):
                raise BudgetError(
                    f"A call of {rows} rows would pass the budget: {self.rows} of "
                    f"{self._most_rows} rows and {self.calls} of {self._most_calls} "
                    "calls are spent. Raise max_queries or max_calls."
                )
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


@runtime_checkable
class Attempting(Endpoint, Protocol):
    """An endpoint that may send a question more than once, and can tell each time.

    It calls `spend(rows)` before each attempt, and what that raises ends the call;
    `busy()` after each answer that the service has too much to do, in the thread of the
    call; and `sleep(seconds)` between attempts.
    """

    spend: Callable[[int], None]
    busy: Callable[[], None]
    sleep: Callable[[float], None]


class Metered(Layer):
    """Spends from a budget for an endpoint that sends each question once."""

    def __init__(self, inner: Endpoint, budget: Budget) -> None:
        super().__init__(inner)
        self._budget = budget

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of rows that there is budget for."""
        self._budget.spend(len(X))
        return self._inner.scores(X)
