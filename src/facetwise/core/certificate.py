"""The certificate: how wrong the weights can be, from check points alone.

docs/certificate.md has the proof in full; in short, with

e      error of a column of weights, D̂ - D                       (d,)
h      half-widths of the intervals that check points fill         (d,)
u_i    step to check point i, uniform in a box of half-widths h    (m, d)
res    answer at check point i less what D̂ predicts                (m, K)
noise  bound on the noise of each of these answers                 (m, K)
alpha  allowed chance that the bound fails

a residual is e·u_i plus a constant plus noise. Whatever d, e and the constant are,
P(|e·u + constant| <= t) <= √2 t / ‖h∘e‖ (Ball: no slice of a cube is larger than √2).
So m residuals cannot all be small unless ‖h∘e‖ is.
"""

from __future__ import annotations

import math

import numpy as np

from facetwise.core.floor import TINIEST
from facetwise.core.messages import Floats

GRAIN = 1.02
"""What it costs that check points are multiples of a 1024th of a half-width or finer
and not real numbers (docs/certificate.md)."""


def small_ball_quantile(alpha: float, m: int) -> float:
    """q with P(U_1² + … + U_m² <= q) <= alpha for independent U_i uniform in [0, 1].

    The points with ΣU² <= q fill a part of the ball of radius √q in the positive
    orthant, all of it while q <= 1. So the ball's volume bounds the chance for any q.
    """
    log_orthant = (m / 2) * math.log(math.pi) - math.lgamma(m / 2 + 1) - m * math.log(2)
    return math.exp((2 / m) * (math.log(alpha) - log_orthant))


def error_bound(residuals: Floats, noise: Floats, alpha: float) -> Floats:
    """Bound (K,) on ‖h∘e‖ of each column, given residuals and noise (m, K).

    Boxes need not be centred on the instance, nor have equal sides: one-sided ones
    are bounded by the half-width of what was really sampled. `noise` is only what may
    depend on the point asked, such as rounding of the answer: noise that does not is
    part of the residual, and makes it no smaller than it makes it larger.
    """
    q = small_ball_quantile(alpha, len(residuals))
    # Squares of very small numbers would vanish, and the bound with them.
    largest = np.maximum(np.abs(residuals), noise).max(axis=0, initial=TINIEST)
    largest = np.where(np.isfinite(largest), largest, 1.0)  # then nothing is bounded
    length = np.linalg.norm(residuals / largest, axis=0)
    length += np.linalg.norm(noise / largest, axis=0)
    bound: Floats = GRAIN * math.sqrt(2.0 / q) * length * largest
    return bound


def share_that_agrees(alpha: float, m: int) -> float:
    """The part of the box that agrees at least, given that all m check points do."""
    return float(alpha ** (1.0 / m))
