"""Step 3, continued: what to do with a fit that most check points miss.

Few stray probes can spoil all weights, and the rest of the design is still good. A fit
from a part of the directions may lack the others. Nothing is believed of what is mended
here: fresh check points decide.

Notation
--------
u    step to a check point, in half-widths               (m, d)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace

import numpy as np

from facetwise.core.designs import uniform_cloud
from facetwise.core.fit import Fit, Solved, complete
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.radius import Pace
from facetwise.core.solve import PlacedDesign

FURTHER = 3
"""Where strays cannot be named yet, a round has a third of the points so far again."""

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
class Round:
    """A round of m check points that is asked of a fit, in the box of a radius."""

    fit: Fit
    radius: float
    m: int


@dataclass(slots=True)
class Misses:
    """Check points that missed a design's fit, which began with a box of radius r."""

    inquiry: Inquiry
    pace: Pace
    r: float
    rng: np.random.Generator
    _told: list[tuple[Floats, Reading]] = field(default_factory=list)

    def after(
        self, at: Round, points: Floats, answers: Reading
    ) -> Generator[Probes, Answers, Round | None]:
        """The round to go on with, or None where the fit is given up."""
        if at.fit.solved is None:
            return None  # what was remembered is right or wrong, with nothing to mend
        self._told.append((points, answers))
        placed, checks = at.fit.solved.placed, self.pace.checks
        if (mended := _without_strays(at.fit, placed, self._told)) is not None:
            return Round(mended, at.radius, checks)
        if placed.is_part:
            off = at.fit.excess(points, answers)
            return (yield from self._after_part(at, at.fit.solved, off))
        return self._closer(at)

    def _after_part(
        self, at: Round, part: Solved, off: Floats
    ) -> Generator[Probes, Answers, Round | None]:
        """The same for a fit inside a subspace, which points miss by so much (m,)."""
        worst, checks = off.max(), self.pace.checks
        if worst <= (SLIGHT if self.inquiry.grid.finest else BEARABLE):
            # The subspace itself is only that exact, which shows less close by.
            self._told = []
            return Round(at.fit, at.radius / (MARGIN * worst), checks)
        outside = off[np.isfinite(off)].max(initial=0.0)
        inside = yield from self._excess_inside(at.fit, part.placed)
        if inside > max(SLIGHT, LEAKED * outside):
            return None
        whole = yield from complete(self.inquiry, part, self.rng)
        return Round(whole, at.radius, checks)

    def _excess_inside(
        self, fit: Fit, placed: PlacedDesign
    ) -> Generator[Probes, Answers, float]:
        """How far a fit misses inside the subspace that was asked, in tolerances.

        If it hardly does, directions are missing. Otherwise probes strayed.
        """
        steps = placed.inside(uniform_cloud(self.rng, INSIDE, np.ones(placed.design.d)))
        points = placed.box.place(steps / self.pace.shrink)
        answers = yield from self.inquiry.ask(points, Purpose.DESIGN)
        return float(fit.excess(points, answers).max())

    def _closer(self, at: Round) -> Round | None:
        """More points closer by, as long as they are worth it, to name more strays."""
        told, m = sum(len(points) for points, _ in self._told), self.pace.checks
        if told > WORTH * len(at.fit.V):
            return None
        if at.radius == self.r:
            # A check point may have strayed as well, and is less likely to close by.
            self._told = []
            return Round(at.fit, self.r / self.pace.shrink, m)
        return Round(at.fit, at.radius, max(m, told // FURTHER))


def _without_strays(
    fit: Fit, placed: PlacedDesign, misses: list[tuple[Floats, Reading]]
) -> Fit | None:
    """The fit corrected for a few probes that explain all that missed it, if any do."""
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
