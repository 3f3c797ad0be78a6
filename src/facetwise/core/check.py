"""Step 3: check points, drawn only after the weights were fixed.

Notation
--------
u    step to a check point, uniform in the box           (m, d)
V    weights per half-width of the box, h∘D              (d, K)
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.box import SINGLE_BITS, Box, Surroundings, spacing
from facetwise.core.certificate import error_bound
from facetwise.core.designs import uniform_cloud
from facetwise.core.fit import Fit
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.mend import WORTH, Misses, Round
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.noise import may_be_noise, measure_repeats, measure_scatter
from facetwise.core.radius import Failure, Pace

MOST_ROUNDS = 14
"""Rounds of check points for one design."""

REMEMBERED = 2
"""Rounds for a fit from memory, and more where a design is much dearer than a round."""

FIRST_FEW = 2
"""Points of a round that are asked first of a fit from memory, which may be wrong."""

NEARLY_ALL = 7.0 / 8.0
"""Check points that agree, as a share, where a box is hardly too wide."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A fit that all check points agree with, and what follows from them.

    `floor` (m, K) is the most that each of them may miss the fit by; `frozen` (K,)
    are columns in which a score never moved in the box.
    """

    fit: Fit
    box: Box
    radius: float
    origin: Reading
    residuals: Floats
    noise: Floats
    floor: Floats
    frozen: Mask
    alpha: float

    @property
    def bound(self) -> Floats:
        """Bound (K,) on ‖h∘e‖ for the half-widths h of the box that was checked."""
        return error_bound(self.residuals, self.noise, self.alpha)

    @property
    def V(self) -> Floats:
        """Weights (d, K) per half-width of the box that was checked."""
        ratio = self.box.half / self.fit.box.half
        weights: Floats = self.fit.V * ratio[:, None]
        return weights

    @property
    def judged(self) -> Mask:
        """Columns (K,) of which something can be said."""
        return self.fit.judged & ~self.frozen


def check(
    inquiry: Inquiry,
    around: Surroundings,
    origin: Reading,
    fit: Fit,
    r: float,
    pace: Pace,
    stakes: Iterator[float],
    rng: np.random.Generator,
    noise_rng: np.random.Generator,
) -> Generator[Probes, Answers, Checked | Failure]:
    """Draw check points until all of a round agree, or it shows that none will."""
    at, misses = Round(fit, r, pace.checks), Misses(inquiry, pace, r, noise_rng)
    worst = np.inf
    for _ in range(_rounds(fit, pace.checks)):
        if not around.resolves(at.radius):
            break
        alpha, box = next(stakes), around.box(at.radius)
        points = box.place(uniform_cloud(rng, at.m, np.ones(len(box.half))))
        answers = yield from _ask(inquiry, at.fit, points)
        points = points[: len(answers.l)]
        off = at.fit.excess(points, answers)
        if off.max() > 1.0 and may_be_noise(inquiry, float(off.max())):
            yield from measure_scatter(inquiry, around, noise_rng)
            off = at.fit.excess(points, answers)
        worst, agree = float(off.max()), off <= 1.0
        if agree.all():
            apart = yield from _instance_apart(inquiry, around, origin, at.fit)
            if apart > 1.0:
                return Failure(r, apart)
            return _agreed(inquiry, origin, at, box, points, answers, alpha)
        if agree.mean() >= 0.5:
            # The fit is right, and the box too wide.
            once = agree.mean() >= NEARLY_ALL
            at = replace(at, radius=at.radius / pace.shrink ** (1 if once else 2))
            continue
        after = yield from misses.after(at, points, answers)
        if after is None:
            break
        at = after
    return Failure(r, worst)


def _agreed(
    inquiry: Inquiry,
    origin: Reading,
    at: Round,
    box: Box,
    points: Floats,
    answers: Reading,
    alpha: float,
) -> Checked:
    """What follows from a round in which all points agree."""
    seen = np.vstack([at.fit.centre.scores, answers.scores])
    return Checked(
        at.fit,
        box,
        at.radius,
        origin,
        at.fit.residuals(points, answers),
        inquiry.hidden(answers.scores),
        at.fit.slack(answers),
        inquiry.frozen(seen.min(axis=0), seen.max(axis=0)),
        alpha,
    )


def _ask(
    inquiry: Inquiry, fit: Fit, points: Floats
) -> Generator[Probes, Answers, Reading]:
    """Answers at a round of points, or at the first ones if memory is wrong there."""
    if fit.solved is not None:
        return (yield from inquiry.ask(points, Purpose.CHECK))
    first = yield from inquiry.ask(points[:FIRST_FEW], Purpose.CHECK)
    if fit.excess(points[:FIRST_FEW], first).min() > 1.0:
        return first
    others = yield from inquiry.ask(points[FIRST_FEW:], Purpose.CHECK)
    return first.and_then(others)


def _rounds(fit: Fit, m: int) -> int:
    """Rounds of m check points that a fit is worth: one from memory was for nothing."""
    if not fit.judged.any():
        return 0
    worth = MOST_ROUNDS if fit.solved else REMEMBERED + int(WORTH * len(fit.V) / m)
    return min(MOST_ROUNDS, worth)


def _instance_apart(
    inquiry: Inquiry, around: Surroundings, origin: Reading, fit: Fit
) -> Generator[Probes, Answers, float]:
    """How far the instance itself misses the fit, in tolerances, beyond its noise."""
    apart = _excess_of_instance(around, origin, fit)
    if apart > 1.0:
        yield from measure_repeats(inquiry, around)
        apart = _excess_of_instance(around, origin, fit)
    return apart


def _excess_of_instance(around: Surroundings, origin: Reading, fit: Fit) -> float:
    """How far the instance itself misses the fit, in tolerances."""
    centre = fit.box.centre
    rounded = np.all(
        np.abs(around.x - centre) <= spacing(around.x, around.scale, SINGLE_BITS)
    )
    if rounded and np.array_equal(origin.l, fit.centre.l):
        return 0.0  # a service that casts takes the two for one
    return float(fit.excess(around.x[None], origin)[0])
