"""Tells of each attempt to send a question, before it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from facetwise.core.messages import Floats
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.layer import Layer


@runtime_checkable
class Attempting(Endpoint, Protocol):
    """An endpoint that may send a question more than once, and can tell each time.

    It calls `spend(rows)` before each attempt, which may wait, and what it raises ends
    the call; `busy()` after each answer that the service has too much to do, in the
    thread of the call; and `sleep(seconds)` between attempts.
    """

    spend: Callable[[int], None]
    busy: Callable[[], None]
    sleep: Callable[[float], None]


class Metered(Layer):
    """Tells `spend` of the rows of an endpoint that sends each question once."""

    def __init__(self, inner: Endpoint, spend: Callable[[int], None]) -> None:
        super().__init__(inner)
        self._spend = spend

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of rows that may be sent."""
        self._spend(len(X))
        return self._inner.scores(X)
