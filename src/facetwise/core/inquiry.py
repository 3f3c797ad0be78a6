"""One instance under questions: asks, reads the answers, and keeps what they show.

Notation
--------
l        log-odds at the points asked                  (n, K)
noise    bound on what the answers' grid hides of them (n, K)
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

import numpy as np

from facetwise.core.floor import ARITHMETIC, ROUNDING, Grid
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.response import LogOdds, usable

USEFUL = 0.1
"""A bound above this share of the weights' own norm is called too coarse."""

DITHER = 4.0
"""Steps of its grid that a score has to move over, many times over, before rounding
is as good as noise that does not depend on the point asked (docs/certificate.md)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Log-odds (n, K) read off scores (n, C); NaN where refused or saturated."""

    l: Floats  # noqa: E741  the paper's letter
    scores: Floats
    inquiry: Inquiry

    def __getitem__(self, rows: slice) -> Reading:
        return Reading(self.l[rows], self.scores[rows], self.inquiry)

    def and_then(self, others: Reading) -> Reading:
        """These rows, and others after them."""
        l = np.vstack([self.l, others.l])  # noqa: E741
        return Reading(l, np.vstack([self.scores, others.scores]), self.inquiry)

    @property
    def noise(self) -> Floats:
        """Bound (n, K) on what the grid hides, as far as the grid is known by now."""
        return self.inquiry.noise(self.scores)

    @property
    def slack(self) -> Floats:
        """How far (n, K) answers may miss a line and still be said to lie on it."""
        return self.inquiry.slack(self.scores)

    @property
    def refused(self) -> bool:
        """Whether a row has no usable log-odds at all."""
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
    measured: int = 0
    refused_last: bool = False
    least: Floats = field(default_factory=lambda: np.array(np.inf))
    most: Floats = field(default_factory=lambda: np.array(-np.inf))

    def ask(
        self, points: Floats, purpose: Purpose
    ) -> Generator[Probes, Answers, Reading]:
        """Log-odds at points (n, moving features)."""
        return (yield from self.ask_whole(self.whole(points), purpose))

    def ask_whole(
        self, whole: Floats, purpose: Purpose
    ) -> Generator[Probes, Answers, Reading]:
        """Log-odds at points (n, d)."""
        answers = yield Probes(whole, purpose)
        return self.hear(answers.scores)

    def whole(self, points: Floats) -> Floats:
        """Points (n, d) that are the instance but for the moving features."""
        if self.moving.all():
            return points
        whole = np.tile(self.x, (len(points), 1))
        whole[:, self.moving] = points
        return whole

    def hear(self, scores: Floats) -> Reading:
        """Read scores (n, C) that came back."""
        self.queries += len(scores)
        rows = usable(self.read.kind, scores)
        good = scores[rows]
        self.refused_last = not rows.all()
        l = np.full((len(scores), self.read.columns), np.nan)  # noqa: E741
        if len(good):
            self.grid = self.grid if self.grid.finest else self.grid.seen(good)
            self.least = np.minimum(self.least, good.min(axis=0))
            self.most = np.maximum(self.most, good.max(axis=0))
            values = self.read.values(good)
            l[rows] = np.where(np.isfinite(values), values, np.nan)
        return Reading(l, scores, self)

    def noise(self, scores: Floats) -> Floats:
        """Bound (n, K) on what the grid hides of scores; NaN where refused."""
        return self._where_usable(scores, self.grid.half_step)

    def slack(self, scores: Floats) -> Floats:
        """What answers (n, K) may be off by: arithmetic and rounding, as measured."""
        number = self._where_usable(scores, self.grid.half_number)
        if self.grid.finest:
            return self.scatter * ((ROUNDING + ARITHMETIC) * number)
        rounded = self._where_usable(scores, self.grid.half_step)
        slack: Floats = self.scatter * (ROUNDING * rounded + ARITHMETIC * number)
        return slack

    def moved(self, columns: Mask) -> Mask:
        """Those of the columns (K,) in which a score moved anywhere at all."""
        return columns & ~self.frozen(self.least, self.most)

    def clipped(self) -> Mask:
        """Columns (K,) in which a score never moved while others did."""
        still = self.least == self.most
        if still.all():
            return np.zeros(self.read.columns, dtype=bool)
        return self.frozen(self.least, self.most) & self.read.kind.clippable

    def frozen(self, least: Floats, most: Floats) -> Mask:
        """Columns (K,) that say nothing where scores range from `least` to `most`.

        The largest score of a softmax may well stand still, for what is left of the
        others still tells them apart; `hidden` allows for what it hides.
        """
        return self.read.either((least == most) & ~self.read.leading(most))

    def hidden(self, scores: Floats) -> Floats:
        """What rounding may hide (m, K) of a trend through scores (m, C).

        A score that moves over many steps of its grid is dithered by them, and hides
        nothing that is small beside the trend. One that stands still may be clipped,
        by as much as the scores then miss a sum of 1.
        """
        half = self.grid.half_step(scores)
        steps = np.ptp(scores, axis=0) / (2.0 * half.max(axis=0))
        with np.errstate(divide="ignore"):
            share = np.minimum(1.0, USEFUL + DITHER / steps)
        still = (steps == 0.0) & self.read.leading(scores.max(axis=0))
        missing = np.abs(1.0 - scores.sum(axis=1)) + half.sum(axis=1)
        half = share * half + np.where(still, missing[:, None], 0.0)
        return self._noise(scores, half)

    def _where_usable(
        self, scores: Floats, half_step: Callable[[Floats], Floats]
    ) -> Floats:
        noise = np.full((len(scores), self.read.columns), np.nan)
        rows = usable(self.read.kind, scores)
        if rows.any():
            noise[rows] = self._noise(scores[rows], half_step(scores[rows]))
        return noise

    def _noise(self, scores: Floats, half_step: Floats) -> Floats:
        largest = max(np.abs(self.least).max(), np.abs(self.most).max())
        return self.read.noise(scores, half_step, float(largest))
