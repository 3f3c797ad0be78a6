"""The naive method of the paper: d + 1 equations for d + 1 unknowns.

It samples d points in a hypercube around the instance, and takes what solves their
equations for the core parameters, whether or not they are of one region. The letters
are those of `core.algorithm1`.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from facetwise.baselines.asking import Answer, Instance, explain_each
from facetwise.baselines.record import Attributed, Sees
from facetwise.core.designs import uniform_cloud


@dataclass(frozen=True, slots=True)
class Naive:
    """Its points lie within `h` of the instance, in each feature."""

    h: float
    seed: int = 0
    sees: ClassVar[Sees] = "scores"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """D_c (n, d) as the equations have it; NaN where they have no one solution."""
        return explain_each(self, self._one, model, X, targets, self.seed)

    def _one(self, instance: Instance) -> Answer:
        x = instance.x
        d = len(x)
        points = x + uniform_cloud(instance.rng, d, np.full(d, self.h))
        A = np.hstack([np.ones((d + 1, 1)), np.vstack([x, points])])
        L = instance.log_odds(A[:, 1:])
        D = np.full(d, np.nan)
        if np.isfinite(L).all():
            # With an h so small that rounding makes two equations one, D stays NaN.
            with contextlib.suppress(np.linalg.LinAlgError):
                D = np.linalg.solve(A, L)[1:].mean(axis=1)
        return Answer(D, radius=self.h)
