"""Asks a model for an inspection: within a budget, counted and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from facetwise.core.floor import Grid
from facetwise.core.messages import Floats
from facetwise.endpoints.budget import Budget
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.halt import Halt
from facetwise.endpoints.layers import Limits, layered


@dataclass(frozen=True, slots=True)
class Timed:
    """Scores, and what it took to get them."""

    scores: Floats
    seconds: float
    calls: int


class Trial:
    """One model under inspection; `grid` has the digits of all that it answered."""

    def __init__(
        self,
        model: Endpoint,
        sent: Callable[[Floats], Any],
        most: int,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.model, self.most = model, most
        self.budget = Budget(rows=most)
        self.grid = Grid()
        self._clock = clock
        self._endpoint = layered(
            model, sent, Limits(), self.budget, Halt(), session=None, watched=False
        )

    @property
    def left(self) -> int:
        """Questions that may still be asked."""
        return self.most - self.budget.rows

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of points (n, d), asked together."""
        return self.timed(X).scores

    def timed(self, X: Floats) -> Timed:
        """The same, with the time and the calls that it took."""
        began, calls = self._clock(), self.budget.calls
        scores = self._endpoint.scores(X)
        seconds = self._clock() - began
        self.grid = self.grid.seen(scores[np.isfinite(scores).all(axis=1)])
        return Timed(scores, seconds, self.budget.calls - calls)

    def floor(self, scores: Floats) -> float:
        """The most that rounding can have moved any of these scores."""
        return float(self.grid.half_step(scores).max())
