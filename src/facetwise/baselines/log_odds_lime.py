"""LIME (Ribeiro et al., 2016) as the paper extends it: regressions of log-odds.

Points are drawn uniformly in a hypercube, weighted by their nearness as in LIME, and
the log-odds against each rival are regressed on the features. The text tells neither
the number of points nor the nearness. As the code that its authors released does, d
points are drawn, and nearness is that of LIME for images. With the instance they make
d + 1 equations, so that a regression without a penalty meets them all: then it is the
naive method. More `samples` make it a regression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from facetwise.baselines.asking import Answer, Instance, explain_each
from facetwise.baselines.record import Attributed, Sees
from facetwise.core.designs import uniform_cloud
from facetwise.core.messages import Floats
from facetwise.extras import extra

KERNEL_WIDTH = 0.25
"""Of LIME's kernel for images, exp(-distance² / (2 width²)), distances by cosine."""


@dataclass(frozen=True, slots=True)
class LogOddsLime:
    """Points lie within `h` of the instance; a ridge has a `penalty` above zero.

    Linear Regression LIME is `penalty=0`, Ridge Regression LIME is `penalty=1`, which
    is that of LIME itself.
    """

    h: float
    penalty: float
    samples: int | None = None
    seed: int = 0
    sees: ClassVar[Sees] = "scores"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """Coefficients (n, d), the mean over rivals; NaN where a score is 0."""
        return explain_each(self, self._one, model, X, targets, self.seed)

    def _one(self, instance: Instance) -> Answer:
        x = instance.x
        d = len(x)
        steps = uniform_cloud(instance.rng, self.samples or d, np.full(d, self.h))
        points = np.vstack([x, x + steps])
        L = instance.log_odds(points)
        D = np.full(d, np.nan)
        if np.isfinite(L).all():
            regression = self._regression()
            regression.fit(points, L, sample_weight=nearness(points, x))
            D = np.atleast_2d(regression.coef_).mean(axis=0)
        return Answer(D, radius=self.h)

    def _regression(self) -> Any:
        linear = extra("paper", "sklearn.linear_model")
        if self.penalty == 0.0:
            return linear.LinearRegression()
        return linear.Ridge(alpha=self.penalty)


def nearness(points: Floats, x: Floats) -> Floats:
    """LIME's weights (n,) of points (n, d): 1 at x, less where they point elsewhere."""
    lengths = np.linalg.norm(points, axis=1) * np.linalg.norm(x)
    with np.errstate(invalid="ignore"):
        cosines = np.where(lengths > 0.0, points @ x / lengths, 1.0)
    weights: Floats = np.exp(-((1.0 - cosines) ** 2) / (2.0 * KERNEL_WIDTH**2))
    return weights
