"""One instance under questions: asks, reads the answers, and keeps what they show.

Notation
--------
l        log-odds at the points asked                  (n, K)
noise    bound on what the answers' grid hides of them (n, K)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from facetwise.core.floor import ARITHMETIC, Grid
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.response import LogOdds, usable


@dataclass(frozen=True, slots=True)
class Reading:
    """Log-odds (n, K) and the noise (n, K) of each; NaN in rows that were refused."""

    l: Floats  # noqa: E741  the paper's letter
    noise: Floats

    def __getitem__(self, rows: slice) -> Reading:
        return Reading(self.l[rows], self.noise[rows])

    @property
    def refused(self) -> bool:
        """Whether a row has no usable answer at all."""
        return bool(np.isnan(self.l).all(axis=1).any())


@dataclass(slots=True)
class Inquiry:
    """What was asked about one instance, and what the answers have shown so far."""

    read: LogOdds
    x: Floats
    moving: Mask
    grid: Grid = field(default_factory=Grid)
    scatter: float = 1.0
    queries: int = 0
    designs: int = 0
    refused_last: bool = False
    least: Floats = field(default_factory=lambda: np.array(np.inf))
    most: Floats = field(default_factory=lambda: np.array(-np.inf))

    def ask(
        self, points: Floats, purpose: Purpose
    ) -> Generator[Probes, Answers, Reading]:
        """Log-odds at points (n, moving features)."""
        if not self.moving.all():
            whole = np.tile(self.x, (len(points), 1))
            whole[:, self.moving] = points
            points = whole
        answers = yield Probes(points, purpose)
        return self.hear(answers.scores)

    def hear(self, scores: Floats) -> Reading:
        """Read scores (n, C) that came back."""
        self.queries += len(scores)
        rows = usable(self.read.kind, scores)
        good = scores[rows]
        self.refused_last = not rows.all()
        if len(good):
            self.grid = self.grid if self.grid.finest else self.grid.seen(good)
            self.least = np.minimum(self.least, good.min(axis=0))
            self.most = np.maximum(self.most, good.max(axis=0))
        l = np.full((len(scores), self.read.columns), np.nan)  # noqa: E741
        noise = l.copy()
        l[rows] = self.read.values(good)
        noise[rows] = self.read.noise(good, self.grid.half_step(good))
        return Reading(l, noise)

    def tolerance(self, noise: Floats) -> Floats:
        """How far answers with this noise may miss and still be said to agree."""
        tolerance: Floats = ARITHMETIC * self.scatter * noise
        return tolerance

    def stuck(self) -> Mask:
        """Columns (K,) in which a score never moved while others did: it is clipped.

        Only a probability can be: a logit may well be constant. And 1.0 is no clip in
        a softmax, where what is left of the other scores still tells them apart.
        """
        still = self.least == self.most
        if not self.read.kind.bounded or still.all():
            return np.zeros(self.read.columns, dtype=bool)
        if self.read.kind.softmax:
            still = still & (self.most < 1.0)
        return self.read.either(still)
