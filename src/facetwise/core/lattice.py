"""Features on a lattice: what changes when one of them goes to its next value.

Between two values there is nothing to ask, so a small box has none of them in it. Each
is moved alone, as far as its next value. The weight is what the log-odds change by,
over the step: that of the instance's own affine function if that holds there as well.
So check points are asked about the next value, too, the other features spread over the
box. Where they do not follow the weights of the box, another region begins in between,
and the feature is left without a weight.

Notation
--------
n      features on a lattice that have a next value
D      their weights                                       (n, K)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from facetwise.core.certificate import error_bound
from facetwise.core.check import Checked
from facetwise.core.designs import uniform_cloud
from facetwise.core.domain import ResolvedDomain
from facetwise.core.inquiry import USEFUL, Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Ints, Mask, Probes, Purpose
from facetwise.core.solve import CHUNK

ABOUT = 4
"""Check points about a next value. A few suffice: they need not bound the weights once
more, only tell them from those of another region."""


@dataclass(frozen=True, slots=True)
class OnLattice:
    """Weights D (n, K) of features (n,) at x, scale (n,), and a bound on each (n, K).

    They are NaN where the next value is in another region, or is refused.
    """

    features: Ints
    x: Floats
    scale: Floats
    D: Floats
    bound: Floats


def along_lattice(
    inquiry: Inquiry,
    domain: ResolvedDomain,
    checked: Checked,
    alpha: float,
    rng: np.random.Generator,
) -> Generator[Probes, Answers, OnLattice]:
    """Move each feature on a lattice to its next value, and see what follows."""
    features, values = domain.next_values(inquiry.x)
    x, scale = inquiry.x[features], domain.scale[features]
    D, bound = np.full((2, len(x), inquiry.read.columns), np.nan)
    each = 1 + ABOUT
    at_once = max(1, CHUNK // (each * len(inquiry.x)))
    for start in range(0, len(features), at_once):
        stop = min(start + at_once, len(features))
        box, n = checked.box, stop - start
        steps = uniform_cloud(rng, n * each, np.ones(len(box.half)))
        steps[::each] = 0.0  # the first of each is at the box's centre
        points = box.place(steps)
        whole = inquiry.whole(points)
        moved = np.repeat(np.arange(start, stop), each)
        whole[np.arange(len(whole)), features[moved]] = values[moved]
        answers = yield from inquiry.ask_whole(whole, Purpose.LATTICE)
        for k in range(start, stop):
            rows = slice(each * (k - start), each * (k - start + 1))
            change, off, holds = _next_value(
                checked, points[rows], answers[rows], alpha / len(features)
            )
            step = values[k] - x[k]
            D[k] = np.where(holds, change / step, np.nan)
            bound[k] = np.where(holds, off / abs(step), np.nan)
    return OnLattice(features, x, scale, D, bound)


def _next_value(
    checked: Checked, points: Floats, answers: Reading, alpha: float
) -> tuple[Floats, Floats, Mask]:
    """What a next value changes, how far that can be off, and whether weights hold."""
    fit = checked.fit
    change = answers.l[0] - fit.centre.l[0]
    off = answers.slack[0] + fit.centre.slack[0]
    residuals = fit.residuals(points[1:], answers[1:]) - change
    allowed = fit.slack(answers[1:]) + answers.slack[0]
    # A boundary may change little of one log-odds: where another shows it, it is there.
    agree = np.all((np.abs(residuals) <= allowed)[:, checked.judged])
    size = np.linalg.norm(checked.V, axis=0)
    telling = error_bound(residuals, answers.noise[1:], alpha) <= USEFUL * size
    return change, off, agree & telling & checked.judged
