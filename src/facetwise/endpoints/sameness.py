"""Whether a model still gives the answer that it gave, as far as its noise shows.

Two answers are the same if rounding explains what they differ by, and otherwise if it
is no more steps of their numbers than the core takes for arithmetic. That leaves room
for answers that depend on the batch: a 32-bit service was seen to move a probability by
4e-7, some ten steps.
"""

from __future__ import annotations

import numpy as np

from facetwise.core.conclude import RANDOM
from facetwise.core.floor import ROUNDING, Grid
from facetwise.core.messages import Floats, Mask

SINGLE_STEP = 2.0**29
"""Steps of 64-bit numbers in one of 32 bits."""


COARSEST = 0.005
"""The most that rounding is believed to hide of an answer, as a share of its largest
score. Where a few answers are all 0 or 1, their grid says nothing."""


class Sameness:
    """Compares answers (n, C) in steps of the digits that a service has shown.

    Where it is not known how repeatable a service is, `single` allows for arithmetic in
    32 bits behind answers in 64.
    """

    def __init__(self, single: bool = False) -> None:
        self._grid = Grid()
        self._single = single

    def see(self, y: Floats) -> None:
        """Learn from answers which digits the service gives."""
        self._grid = self._grid.seen(y[np.isfinite(y).all(axis=1)])

    def learn(self, y: Floats, again: Floats) -> None:
        """Learn from answers to the same rows at once how repeatable they are."""
        self._single = self._single or not self.agree(y, again)

    def agree(self, y: Floats, again: Floats) -> bool:
        """Whether all rows have the same answers; refused twice is the same too."""
        if y.shape != again.shape:
            return False
        # New digits refute a grid that is coarse for want of any, as of zeros and ones.
        self.see(y)
        self.see(again)
        with np.errstate(invalid="ignore"):
            close = np.abs(y - again) <= self._tolerance(y) + self._tolerance(again)
        alike: Mask = close | (y == again) | (np.isnan(y) & np.isnan(again))
        return bool(alike.all())

    def _tolerance(self, y: Floats) -> Floats:
        if not self._grid.first.size:
            return np.zeros_like(y)
        half = self._grid.half_number(_magnitude(y))
        if self._single and not self._grid.single:
            half *= SINGLE_STEP
        largest = np.abs(y).max(axis=1, keepdims=True)
        rounding = np.minimum(self._grid.half_step(y), COARSEST * largest)
        tolerance: Floats = ROUNDING * rounding + RANDOM * half
        return tolerance


def _magnitude(y: Floats) -> Floats:
    """The numbers that scores were made of: a small logit may be left of large ones."""
    with np.errstate(invalid="ignore"):
        shares = np.all((y >= 0.0) & (y <= 1.0), axis=1, keepdims=True)
    return np.where(shares, y, np.abs(y).max(axis=1, keepdims=True))
