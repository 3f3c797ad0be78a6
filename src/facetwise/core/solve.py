"""Weights from the answers at a design's probes.

Notation
--------
G     the design's directions                        (n, d)
R     their length                                   half-widths of the box
P     steps that floating point realised             (n, d), half-widths
dL    answers less the one at the centre             (n, K)
V     weights per half-width, h∘D                    (d, K)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from facetwise.core.box import Box
from facetwise.core.designs import Design
from facetwise.core.messages import Floats

CHUNK = 2**22
"""Numbers in one chunk of probes: 32 MB, so that d x d is never held for large d."""

BLOCK = 2**16
"""Numbers worked on at a time: half a megabyte stays in a processor's cache from one
operation to the next, and the whole of a design for 784 features does not."""

MOST_REFINEMENTS = 8
ENOUGH = 1e-8
"""A correction this small leaves one of its own square, which is below rounding."""

PER_STRAY = 2.4
"""Check points that it takes to name a probe outside the region."""

BEAM, WIDE_UP_TO = 24, 5
"""Sets of strays that are followed at a time, up to which size: the best single ones
are often wrong. Larger sets need so many check points that the best one will do."""

EASY = 3
"""So many strays the greedy search is likely to name right."""

NEARLY = 2.0**-6
"""Strays that leave more of the residuals than this share are not worth a solve:
rounded steps blur them by less."""

SHORTEST = 1e-6
"""What is left of a column, as a share, when others say all of it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A row of the design that was answered on the way, `longer` times as far out."""

    step: Floats
    change: Floats
    longer: float


@dataclass(frozen=True)
class PlacedDesign:
    """A design put into a box: what is asked, and what follows from the answers."""

    design: Design
    box: Box
    kept: dict[int, Kept] = field(default_factory=dict)

    @property
    def is_part(self) -> bool:
        """Whether directions are left out that weights may have."""
        return self.design.size < self.design.d

    @property
    def length(self) -> float:
        """R: as long as the box allows."""
        return 1.0 / self.design.reach

    def chunks(self) -> Iterator[tuple[int, int]]:
        """Row ranges that keep a chunk of points within `CHUNK` numbers."""
        yield from self._ranges(0, self.design.size, CHUNK)

    def points(self, start: int, stop: int) -> Floats:
        """The probes start to stop, (stop - start, d)."""
        if self.design.size * self.design.d <= CHUNK:
            return self._all[start:stop]
        return self._made(start, stop)

    @cached_property
    def _all(self) -> Floats:
        """All probes, made once: they are asked, and then solved from."""
        return self._made(0, self.design.size)

    def _made(self, start: int, stop: int) -> Floats:
        points = np.empty((stop - start, self.design.d))
        for first, last in self._ranges(start, stop, BLOCK):
            G = self.design.rows(first, last)
            G *= self.length
            points[first - start : last - start] = self.box.place(G)
        return points

    def _ranges(self, start: int, stop: int, numbers: int) -> Iterator[tuple[int, int]]:
        """Rows start to stop, in ranges of at most so many numbers."""
        rows = max(1, numbers // self.design.d)
        for first in range(start, stop, rows):
            yield first, min(first + rows, stop)

    def steps(self, start: int, stop: int) -> Floats:
        """Rows start to stop of P; those kept count as if they were of length R."""
        P = self.box.steps(self.points(start, stop))
        for row, kept in self.kept.items():
            if start <= row < stop:
                P[row - start] = kept.step / (self.box.half * kept.longer)
        return P

    def weights(self, dL: Floats) -> Floats:
        """V with P V = dL, in the subspace of the directions where they are not all.

        G'dL/R is exact but for P being not quite R G. Each round of refinement
        shrinks that error by the size of the difference, 1e-10 as a rule, 1e-3 where
        points were rounded to 32 bits.
        """
        V = self.design.project(dL) / self.length
        for _ in range(MOST_REFINEMENTS):
            miss = np.empty_like(dL)
            for start, stop in self._ranges(0, len(dL), BLOCK):
                miss[start:stop] = dL[start:stop] - self.steps(start, stop) @ V
            correction = self.design.project(miss) / self.length
            V += correction
            if np.abs(correction).max() <= ENOUGH * np.abs(V).max():
                break
        return V

    def inside(self, steps: Floats) -> Floats:
        """Steps (m, d) without what no direction of the design reaches, in the box."""
        reached = self.design.project(self.design.coordinates(steps).T).T
        furthest = np.abs(reached).max(axis=1, keepdims=True)
        within: Floats = reached / np.maximum(furthest, 1.0)
        return within

    def without_strays(
        self, V: Floats, u: Floats, residuals: Floats, floor: Floats
    ) -> Floats | None:
        """V corrected for a few probes that explain the residuals (m, K), if any do.

        A probe outside the region has an answer that is off by some δ, which moves V
        by P⁻¹δ and the residual at a check point u by -u·P⁻¹δ. Few such probes are
        found one by one (orthogonal matching pursuit), which is much cheaper than to
        ask all of them again.
        """
        A = self.design.coordinates(u) / -self.length
        most = min(int(len(u) / PER_STRAY), self.design.size // 4)
        for strays in likely_sets(A, residuals, most):
            off = np.zeros((self.design.size, len(strays)))
            off[strays, np.arange(len(strays))] = 1.0
            moved = self.weights(off)
            delta = np.linalg.lstsq(-u @ moved, residuals, rcond=None)[0]
            if np.all(np.abs(residuals + u @ moved @ delta) <= floor):
                corrected: Floats = V - moved @ delta
                return corrected
        return None


def likely_sets(A: Floats, residuals: Floats, most: int) -> Iterator[list[int]]:
    """Sets of columns of A (m, d) that nearly explain the residuals, smallest first.

    What is found greedily comes first, which is soon done.
    """
    A = A / np.linalg.norm(A, axis=0)
    told = _without_repetition(residuals)
    yield from _greedily(A, told, [], min(most, EASY))
    best: list[int] = []
    for best, explains in _widely(A, told, min(most, WIDE_UP_TO)):
        if explains:
            yield best
    yield from _greedily(A, told, best, most)


def _without_repetition(residuals: Floats) -> Floats:
    """As few columns as say the same: beside one boundary all are multiples of one."""
    left, sizes, _ = np.linalg.svd(residuals, full_matrices=False)
    told = sizes > NEARLY**2 * sizes[0]
    columns: Floats = (left * sizes)[:, told]
    return columns


def _greedily(
    A: Floats, residuals: Floats, chosen: list[int], most: int
) -> Iterator[list[int]]:
    """Sets that grow from those chosen by the column that explains most."""
    Q = np.linalg.qr(A[:, chosen])[0]
    rest, left = A - Q @ (Q.T @ A), residuals - Q @ (Q.T @ residuals)
    enough = NEARLY**2 * np.sum(residuals**2)
    for _ in range(len(chosen), most):
        length = np.maximum(np.linalg.norm(rest, axis=0), SHORTEST)
        gain = np.linalg.norm(rest.T @ left, axis=1) / length
        column = int(np.argmax(gain))
        q = rest[:, column] / length[column]
        rest, left = rest - np.outer(q, q @ rest), left - np.outer(q, q @ left)
        chosen = [*chosen, column]
        if np.sum(left**2) <= enough:
            yield chosen


def _widely(
    A: Floats, residuals: Floats, most: int
) -> Iterator[tuple[list[int], bool]]:
    """The best set of each size, and whether it explains the residuals.

    A beam search: the best sets of each size are tried with one column more.
    """
    enough = NEARLY**2 * np.sum(residuals**2)
    beam: list[list[int]] = [[]]
    for _ in range(most):
        grown: dict[tuple[int, ...], float] = {}
        for chosen in beam:
            Q = np.linalg.qr(A[:, chosen])[0]
            left = residuals - Q @ (Q.T @ residuals)
            rest = A - Q @ (Q.T @ A)
            length = np.maximum(np.linalg.norm(rest, axis=0), SHORTEST)
            gain = np.linalg.norm(rest.T @ left, axis=1) / length
            after = np.sum(left**2) - gain**2
            for column in np.argsort(after)[:BEAM].tolist():
                grown[tuple(sorted({*chosen, column}))] = float(after[column])
        best = sorted(grown, key=lambda key: grown[key])[:BEAM]
        beam = [list(key) for key in best]
        yield beam[0], bool(grown[best[0]] <= enough)
