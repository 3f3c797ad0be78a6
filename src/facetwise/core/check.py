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
from facetwise.core.fit import Fit, complete
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.noise import may_be_noise, measure_repeats, measure_scatter
from facetwise.core.radius import Failure, Pace
from facetwise.core.solve import PlacedDesign

MOST_ROUNDS = 14
"""Rounds of check points for one design."""

REMEMBERED = 2
"""Rounds for a fit from memory, and more where a design is much dearer than a round."""

FIRST_FEW = 2
"""Points of a round that are asked first of a fit from memory, which may be wrong."""

FURTHER = 3
"""Where strays cannot be named yet, a round has a third of the points so far again."""

NEARLY_ALL = 7.0 / 8.0
"""Check points that agree, as a share, where a box is hardly too wide."""

SLIGHT = 1e2
"""Tolerances by which a fit may miss that is all but right."""

BEARABLE = 3.0
"""The same where answers have few digits, and a smaller box costs as many of them."""

MARGIN = 1.5
"""How much smaller a box is made than what a miss calls for."""

INSIDE = 2
"""Points that tell whether a fit is right inside the subspace that it was asked in."""

LEAKED = 2.0**-8
"""Share of what a fit misses outside that points inside may show: they are rounded to a
box's lattice, of at least 2^10 steps, which leads out of the subspace by so much."""

WORTH = 2.0**-1
"""A design is given up once its check points cost more than this share of it."""


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
    radius, excess, m = r, np.full(1, np.inf), pace.checks
    misses: list[tuple[Floats, Reading]] = []
    for _ in range(_rounds(fit, m)):
        if not around.resolves(radius):
            break
        alpha, box = next(stakes), around.box(radius)
        points = box.place(uniform_cloud(rng, m, np.ones(len(box.half))))
        answers = yield from _ask(inquiry, fit, points)
        residuals = fit.residuals(points[: len(answers.l)], answers)
        excess = _excess(residuals, fit.slack(answers), fit)
        if excess.max() > 1.0 and may_be_noise(inquiry, float(excess.max())):
            yield from measure_scatter(inquiry, around, noise_rng)
            excess = _excess(residuals, fit.slack(answers), fit)
        if excess.max() <= 1.0:
            apart = _excess_of_instance(around, origin, fit)
            if apart > 1.0:
                yield from measure_repeats(inquiry, around)
                apart = _excess_of_instance(around, origin, fit)
            if apart > 1.0:
                return Failure(r, apart)
            seen = np.vstack([fit.centre.scores, answers.scores])
            return Checked(
                fit,
                box,
                radius,
                origin,
                residuals,
                inquiry.hidden(answers.scores),
                fit.slack(answers),
                inquiry.frozen(seen.min(axis=0), seen.max(axis=0)),
                alpha,
            )
        share = np.mean(excess <= 1.0)
        if share >= 0.5:
            # The fit is right, and the box too wide.
            radius /= pace.shrink if share >= NEARLY_ALL else pace.shrink**2
            continue
        if fit.solved is None:
            break  # a remembered fit is right or wrong, with nothing in it to mend
        # A few stray probes can spoil all weights; the rest of them is still good.
        misses.append((points, answers))
        placed = fit.solved.placed
        mended = _without_strays(fit, placed, misses)
        if mended is None and placed.is_part:
            if excess.max() <= (SLIGHT if inquiry.grid.finest else BEARABLE):
                # The subspace itself is only that exact, which shows less close by.
                radius, misses = radius / (MARGIN * excess.max()), []
                continue
            outside = excess[np.isfinite(excess)].max(initial=0.0)
            inside = yield from _excess_inside(inquiry, fit, placed, pace, noise_rng)
            if inside > max(SLIGHT, LEAKED * outside):
                break
            mended = yield from complete(inquiry, fit.solved, noise_rng)
        fit, m = mended or fit, pace.checks
        if mended is None:
            told = sum(len(points) for points, _ in misses)
            if told > WORTH * len(box.half):
                break
            if radius == r:
                # A check point may have strayed as well, less likely so close by.
                radius, misses = r / pace.shrink, []
            else:
                m = max(m, told // FURTHER)
    return Failure(r, float(excess.max()))


def _ask(
    inquiry: Inquiry, fit: Fit, points: Floats
) -> Generator[Probes, Answers, Reading]:
    """Answers at a round of points, or at the first ones if memory is wrong there."""
    if fit.solved is not None:
        return (yield from inquiry.ask(points, Purpose.CHECK))
    first = yield from inquiry.ask(points[:FIRST_FEW], Purpose.CHECK)
    residuals = fit.residuals(points[:FIRST_FEW], first)
    if _excess(residuals, fit.slack(first), fit).min() > 1.0:
        return first
    others = yield from inquiry.ask(points[FIRST_FEW:], Purpose.CHECK)
    return first.and_then(others)


def _rounds(fit: Fit, m: int) -> int:
    """Rounds of m check points that a fit is worth: one from memory was for nothing."""
    if not fit.judged.any():
        return 0
    worth = MOST_ROUNDS if fit.solved else REMEMBERED + int(WORTH * len(fit.V) / m)
    return min(MOST_ROUNDS, worth)


def _excess_inside(
    inquiry: Inquiry,
    fit: Fit,
    placed: PlacedDesign,
    pace: Pace,
    rng: np.random.Generator,
) -> Generator[Probes, Answers, float]:
    """How far a fit misses inside the subspace that was asked, in tolerances.

    If it hardly does, directions are missing. Otherwise probes of the design strayed.
    """
    steps = placed.inside(uniform_cloud(rng, INSIDE, np.ones(placed.design.d)))
    points = placed.box.place(steps / pace.shrink)
    answers = yield from inquiry.ask(points, Purpose.DESIGN)
    return float(_excess(fit.residuals(points, answers), fit.slack(answers), fit).max())


def _without_strays(
    fit: Fit, placed: PlacedDesign, misses: list[tuple[Floats, Reading]]
) -> Fit | None:
    """The fit corrected for a few probes that explain all that missed it, if any do.

    Nothing is believed of it: fresh check points decide.
    """
    u = np.vstack([fit.box.steps(points) for points, _ in misses])
    residuals = np.vstack([fit.residuals(*miss) for miss in misses])
    floor = np.vstack([fit.slack(answers) for _, answers in misses])
    told = np.isfinite(residuals[:, fit.judged]).all(axis=1)  # the others were refused
    if not told.any():
        return None
    part = np.ix_(told, fit.judged)
    mended = placed.without_strays(
        fit.V[:, fit.judged], u[told], residuals[part], floor[part]
    )
    if mended is None:
        return None
    V = fit.V.copy()
    V[:, fit.judged] = mended
    return replace(fit, V=V)


def _excess(residuals: Floats, floor: Floats, fit: Fit) -> Floats:
    """Largest residual in tolerances, among columns that count, of each row."""
    ratio = np.abs(residuals / floor)[:, fit.judged]
    largest: Floats = np.where(np.isnan(ratio), np.inf, ratio).max(axis=1)
    return largest


def _excess_of_instance(around: Surroundings, origin: Reading, fit: Fit) -> float:
    """How far the instance itself misses the fit, in tolerances."""
    centre = fit.box.centre
    rounded = np.all(
        np.abs(around.x - centre) <= spacing(around.x, around.scale, SINGLE_BITS)
    )
    if rounded and np.array_equal(origin.l, fit.centre.l):
        return 0.0  # a service that casts takes the two for one
    residuals = fit.residuals(around.x[None], origin)
    return float(_excess(residuals, fit.slack(origin), fit)[0])
