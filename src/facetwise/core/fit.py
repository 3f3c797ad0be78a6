"""Step 2: ask a design and solve the weights from it.

Notation
--------
V    weights per half-width of the design's box, h∘D     (d, K)
P    realised steps to points, in half-widths            (n, d)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.solve import PlacedDesign


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights V solved from a design about a centre; `judged` (K,) columns count."""

    placed: PlacedDesign
    centre: Reading
    V: Floats
    judged: Mask

    def residuals(self, points: Floats, answers: Reading) -> Floats:
        """How far the answers (m, K) at points (m, d) miss the fit."""
        P = self.placed.box.steps(points)
        missed: Floats = answers.l - self.centre.l - P @ self.V
        return missed

    def slack(self, answers: Reading) -> Floats:
        """How far the answers (m, K) may miss the fit and still agree with it."""
        # What the fit itself is off by is about that of the centre once more.
        slack: Floats = answers.slack + 2.0 * self.centre.slack
        return slack


def solve(inquiry: Inquiry, placed: PlacedDesign) -> Generator[Probes, Answers, Fit]:
    """Ask the probes that are not known yet, and the centre with them.

    The centre is asked again although it is known: some servers answer a row
    differently in another batch, and a model may have been replaced meanwhile.
    """
    centre: Reading | None = None
    dL = np.empty((placed.design.d, inquiry.read.columns))
    for start, stop in placed.chunks():
        rows = np.setdiff1d(np.arange(start, stop), list(placed.kept))
        first = int(centre is None)
        points = np.empty((first + len(rows), placed.design.d))
        points[:first] = placed.box.centre
        np.take(
            placed.points(start, stop),
            rows - start,
            axis=0,
            out=points[first:],
            mode="clip",
        )
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
    return Fit(placed, centre, V, judged)
