"""Step 3: check points, drawn only after the weights were fixed."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.certificate import CHECK_POINTS, error_bound
from facetwise.core.designs import uniform_cloud
from facetwise.core.domain import (
    SINGLE_BITS,
    STEPS_PER_SIDE,
    Box,
    Surroundings,
    spacing,
)
from facetwise.core.fit import Fit
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.radius import Failure

MOST_ROUNDS = 4
"""Rounds of check points for one design."""

CLOSER = 4.0
"""The step down when most check points agree: the fit is right, the box too wide."""

CAST_STEPS = 4.0
"""32-bit numbers to move by: enough to be another number after any rounding."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A fit that all check points agree with, and what follows from them.

    `bound` (K,) is on ‖h∘e‖ for the half-widths h of `box`, which they filled;
    `floor` (K,) is the most that one of them, or the instance, may miss the fit by.
    """

    fit: Fit
    box: Box
    radius: float
    origin: Reading
    residuals: Floats
    noise: Floats
    floor: Floats
    alpha: float

    @property
    def bound(self) -> Floats:
        """Bound (K,) on ‖h∘e‖."""
        return error_bound(self.residuals, self.noise, self.alpha)

    @property
    def V(self) -> Floats:
        """Weights (d, K) per half-width of the box that was checked."""
        weights: Floats = (
            self.fit.V * (self.box.half / self.fit.placed.box.half)[:, None]
        )
        return weights


def check(
    inquiry: Inquiry,
    around: Surroundings,
    origin: Reading,
    fit: Fit,
    r: float,
    stakes: Iterator[float],
    rng: np.random.Generator,
) -> Generator[Probes, Answers, Checked | Failure]:
    """Draw check points until all of a round agree, or it shows that none will."""
    radius = r
    if not fit.judged.any():
        return Failure(r, np.inf)
    excess = np.full(CHECK_POINTS, np.inf)
    for _ in range(MOST_ROUNDS):
        if not around.resolves(radius):
            break
        alpha, box = next(stakes), around.box(radius)
        points = box.place(uniform_cloud(rng, CHECK_POINTS, np.ones(len(box.half))))
        answers = yield from inquiry.ask(points, Purpose.CHECK)
        residuals = fit.residuals(points, answers)
        # The noise of the fit itself is about that of the centre once more.
        floor = inquiry.tolerance(answers.noise + 2.0 * fit.centre.noise)
        excess = _excess(residuals, floor, fit)
        if np.all(excess <= 1.0):
            apart = _excess_of_instance(inquiry, around, origin, fit)
            if apart > 1.0:
                return Failure(r, apart)
            noise = answers.noise + fit.centre.noise
            return Checked(fit, box, radius, origin, residuals, noise, floor, alpha)
        if 2 * np.count_nonzero(excess <= 1.0) >= CHECK_POINTS:
            radius /= CLOSER
            continue
        # A few stray probes can spoil all weights; the rest of them is still good.
        u = fit.placed.box.steps(points)
        V = fit.placed.without_strays(fit.V, u, residuals, floor)
        if V is None:
            break
        fit = replace(fit, V=V)
    return Failure(r, float(excess.max()))


def every_feature_is_read(
    inquiry: Inquiry, around: Surroundings, checked: Checked, rng: np.random.Generator
) -> Generator[Probes, Answers, bool]:
    """Whether weights of zero are zero, and not those of features that a cast freezes.

    Where the box is narrower than 32-bit numbers are apart, a service that casts its
    inputs sees some features move (those at 0) and others not at all. So all features
    that seem to have no weight are moved once more, together and by enough.
    """
    step = CAST_STEPS * spacing(around.x, checked.box.half, SINGLE_BITS)
    if checked.box.quantum is not None:
        return True
    judged = checked.fit.judged
    largest = np.abs(checked.V)[:, judged] - checked.bound[judged]
    still = np.all(largest <= 0.0, axis=1) & (
        checked.box.half < STEPS_PER_SIDE * step / CAST_STEPS
    )
    if not still.any():
        return True
    moved = checked.box.centre + still * step * rng.choice([-1.0, 1.0], size=len(step))
    moved = np.clip(moved, around.lower, around.upper)[None]
    answers = yield from inquiry.ask(moved, Purpose.CHECK)
    # A weight that is zero to within its bound may show over a wide step.
    wide = np.linalg.norm((moved - checked.box.centre) / checked.box.half)
    allowed = inquiry.tolerance(answers.noise + 2.0 * checked.fit.centre.noise)
    allowed = allowed + 2.0 * checked.bound * wide
    return bool(
        np.all(
            _excess(checked.fit.residuals(moved, answers), allowed, checked.fit) <= 1.0
        )
    )


def _excess(residuals: Floats, floor: Floats, fit: Fit) -> Floats:
    """Largest residual in tolerances, among columns that count, of each row."""
    ratio = np.abs(residuals / floor)[:, fit.judged]
    largest: Floats = np.where(np.isnan(ratio), np.inf, ratio).max(axis=1)
    return largest


def _excess_of_instance(
    inquiry: Inquiry, around: Surroundings, origin: Reading, fit: Fit
) -> float:
    """How far the instance itself misses the fit, in tolerances."""
    centre = fit.placed.box.centre
    rounded = np.all(
        np.abs(around.x - centre) <= spacing(around.x, fit.placed.box.half, SINGLE_BITS)
    )
    if rounded and np.array_equal(origin.l, fit.centre.l):
        return 0.0  # a service that casts takes the two for one
    floor = inquiry.tolerance(origin.noise + 2.0 * fit.centre.noise)
    return float(_excess(fit.residuals(around.x[None], origin), floor, fit)[0])
