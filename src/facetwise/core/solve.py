"""Weights from the answers at a design's probes.

Notation
--------
G     the design's directions                        (d, d)
R     their length                                   half-widths of the box
P     steps that floating point realised             (d, d), half-widths
dL    answers less the one at the centre             (d, K)
V     weights per half-width, h∘D                    (d, K)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from facetwise.core.designs import SignedCosine
from facetwise.core.domain import Box
from facetwise.core.messages import Floats

CHUNK = 2**22
"""Numbers in one chunk of probes: 32 MB, so that d x d is never held for large d."""

MOST_REFINEMENTS = 8
ENOUGH = 1e-8
"""A correction this small leaves one of its own square, which is below rounding."""

MOST_STRAYS = 4
"""Probes outside the region that 16 check points can name with certainty to spare."""


@dataclass(frozen=True, slots=True)
class PlacedDesign:
    """A design put into a box: what is asked, and what follows from the answers."""

    design: SignedCosine
    box: Box

    @property
    def length(self) -> float:
        """R: as long as the box allows."""
        return 1.0 / self.design.reach

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Row ranges that keep a chunk of points within `CHUNK` numbers."""
        rows = max(1, CHUNK // self.design.d)
        for start in range(0, self.design.d, rows):
            yield start, min(start + rows, self.design.d)

    def points(self, start: int, stop: int) -> Floats:
        """The probes start to stop, (stop - start, d)."""
        return self.box.place(self.design.rows(start, stop) * self.length)

    def weights(self, dL: Floats) -> Floats:
        """V with P V = dL.

        G'dL/R is exact but for P being not quite R G. Each round of refinement
        shrinks that error by the size of the difference, 1e-10 as a rule, 1e-3 where
        points were rounded to 32 bits.
        """
        V = self.design.project(dL) / self.length
        chunks = list(self.chunks())
        kept = self.steps(*chunks[0]) if len(chunks) == 1 else None
        for _ in range(MOST_REFINEMENTS):
            miss = np.empty_like(dL)
            for start, stop in chunks:
                P = self.steps(start, stop) if kept is None else kept
                miss[start:stop] = dL[start:stop] - P @ V
            correction = self.design.project(miss) / self.length
            V += correction
            if np.abs(correction).max() <= ENOUGH * np.abs(V).max():
                break
        return V

    def steps(self, start: int, stop: int) -> Floats:
        """Rows start to stop of P."""
        return self.box.steps(self.points(start, stop))

    def without_strays(self, V: Floats, u: Floats, residuals: Floats) -> Floats:
        """V corrected for the few probes that best explain the residuals (m, K).

        A probe outside the region has an answer that is off by some δ, which moves V
        by G'δ/R and a residual at check point u by -(G u)·δ/R. Few such probes are
        found one by one (orthogonal matching pursuit): much cheaper than asking all
        of them again. Nothing is believed of it: fresh check points decide.
        """
        A = self.design.coordinates(u) / -self.length
        strays: list[int] = []
        left, delta = residuals, np.zeros((0, residuals.shape[1]))
        for _ in range(min(MOST_STRAYS, self.design.d // 4)):
            fit = np.linalg.norm(A.T @ left, axis=1) / np.linalg.norm(A, axis=0)
            strays.append(int(np.argmax(fit)))
            delta = np.linalg.lstsq(A[:, strays], residuals)[0]
            left = residuals - A[:, strays] @ delta
        off = np.zeros_like(V)
        off[strays] = delta
        return V - self.design.project(off) / self.length
