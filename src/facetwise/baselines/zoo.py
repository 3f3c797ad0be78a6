"""ZOO (Chen et al., 2017) as the paper extends it: differences of log-odds.

Each feature is moved by h up and down, and the symmetric difference quotient of the
log-odds is an estimate of their derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from facetwise.baselines.asking import Answer, Instance, explain_each
from facetwise.baselines.record import Attributed, Sees

FEATURES_A_CALL = 1024
"""Features moved at a time, so that a wide instance needs little memory."""


@dataclass(frozen=True, slots=True)
class Zoo:
    """It moves a feature by `h`; nothing is drawn at random."""

    h: float
    sees: ClassVar[Sees] = "scores"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """D_c (n, d) by 2 d questions a row."""
        return explain_each(self, self._one, model, X, targets)

    def _one(self, instance: Instance) -> Answer:
        d = len(instance.x)
        D = np.empty(d)
        for start in range(0, d, FEATURES_A_CALL):
            moved = np.arange(start, min(start + FEATURES_A_CALL, d))
            step = np.zeros((len(moved), d))
            step[np.arange(len(moved)), moved] = self.h
            pairs = np.vstack([instance.x + step, instance.x - step])
            L = instance.log_odds(pairs)
            with np.errstate(invalid="ignore"):  # two scores of 0 differ by NaN
                rise = L[: len(moved)] - L[len(moved) :]
            D[moved] = (rise / (2.0 * self.h)).mean(axis=1)
        return Answer(np.where(np.isfinite(D), D, np.nan), radius=self.h)
