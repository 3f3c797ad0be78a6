"""Step 2: ask a design and solve the weights from it.

Notation
--------
V    weights per half-width of the box, h∘D              (d, K)
P    realised steps to points, in half-widths            (n, d)
dL   answers less the one at the centre                  (n, K)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.box import Box
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.recovered import Asked
from facetwise.core.solve import Kept, PlacedDesign
from facetwise.core.span import completed


@dataclass(frozen=True, slots=True)
class Solved:
    """A design that weights were solved from, and what its probes changed."""

    placed: PlacedDesign
    dL: Floats
    asked: Asked


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights V about a box's centre; `judged` (K,) columns count.

    They are `solved` from answers, or remembered from another instance.
    """

    box: Box
    centre: Reading
    V: Floats
    judged: Mask
    solved: Solved | None

    @property
    def asked(self) -> Asked:
        """Along which directions the weights were asked."""
        return self.solved.asked if self.solved else Asked.NOTHING

    def residuals(self, points: Floats, answers: Reading) -> Floats:
        """How far the answers (m, K) at points (m, d) miss the fit."""
        P = self.box.steps(points)
        missed: Floats = answers.l - self.centre.l - P @ self.V
        return missed

    def slack(self, answers: Reading) -> Floats:
        """How far the answers (m, K) may miss the fit and still agree with it."""
        # What the fit itself is off by is about that of the centre once more.
        slack: Floats = answers.slack + 2.0 * self.centre.slack
        return slack

    def excess(self, points: Floats, answers: Reading) -> Floats:
        """By how many tolerances each answer misses it (m,), in the worst column."""
        ratio = np.abs(self.residuals(points, answers) / self.slack(answers))
        known = np.where(np.isnan(ratio), np.inf, ratio)[:, self.judged]
        worst: Floats = known.max(axis=1)
        return worst


def solve(inquiry: Inquiry, placed: PlacedDesign) -> Generator[Probes, Answers, Fit]:
    """Ask the probes that are not known yet, and the centre with them.

    The centre is asked again although it is known: some servers answer a row
    differently in another batch, and a model may have been replaced meanwhile.
    """
    centre: Reading | None = None
    dL = np.empty((placed.design.size, inquiry.read.columns))
    for start, stop in placed.chunks():
        rows = np.setdiff1d(np.arange(start, stop), list(placed.kept))
        first = int(centre is None)
        points = np.empty((first + len(rows), placed.design.d))
        points[:first] = placed.box.centre
        probes = placed.points(start, stop)
        np.take(probes, rows - start, axis=0, out=points[first:], mode="clip")
        if not len(points):
            continue  # all of them are known, and no one answers an empty question
        answers = yield from inquiry.ask(points, Purpose.DESIGN)
        if centre is None:
            centre, answers = answers[:1], answers[1:]
        dL[rows] = answers.l - centre.l
    for row, kept in placed.kept.items():
        dL[row] = kept.change / kept.longer
    assert centre is not None
    inquiry.designs += 1
    judged = np.isfinite(dL).all(axis=0) & ~inquiry.clipped()
    V = placed.weights(np.where(judged, dL, 0.0))
    asked = Asked.INSIDE if placed.is_part else Asked.ALL
    return Fit(placed.box, centre, V, judged, Solved(placed, dL, asked))


def recollect(inquiry: Inquiry, box: Box, T: Floats) -> Generator[Probes, Answers, Fit]:
    """Weights as slopes T (C, d) of the scores have them, once the centre was asked."""
    centre = yield from inquiry.ask(box.centre[None], Purpose.ORIGIN)
    V = inquiry.read.compare(T.T) * box.half[:, None]
    known = np.isfinite(V).all(axis=0)
    judged = known & np.isfinite(centre.l[0])
    return Fit(box, centre, np.where(known, V, 0.0), judged, None)


def complete(
    inquiry: Inquiry, part: Solved, rng: np.random.Generator
) -> Generator[Probes, Answers, Fit]:
    """Ask the directions that a design inside a subspace leaves out."""
    inside, box = part.placed, part.placed.box
    whole = completed(inside.design, rng)
    longer = whole.reach / inside.design.reach
    points = inside.points(0, inside.design.size)
    kept = {
        row: Kept(points[row] - box.centre, part.dL[row], longer)
        for row in range(inside.design.size)
    }
    for row, known in inside.kept.items():
        kept[row] = Kept(known.step, known.change, known.longer * longer)
    fit = yield from solve(inquiry, PlacedDesign(whole, box, kept))
    assert fit.solved is not None
    return replace(fit, solved=replace(fit.solved, asked=Asked.REST))
