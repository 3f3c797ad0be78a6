"""Pairs of points on opposite sides of a centre: do they lie on one line with it?

Notation
--------
c    centre of a box, p a step as long as the box allows
s    l(c + p) + l(c - p) - 2 l(c)                     (K,)

Inside one region s is 0. When the pair straddles slopes it is not, with probability 1.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from facetwise.core.box import Box, Surroundings
from facetwise.core.designs import Design
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.solve import Kept, PlacedDesign

ROUNDED = 2.0**-8
"""What rounding to a lattice may change of a box's shape."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a pair showed at a radius: `excess` is max |s| in tolerances.

    It is `flat` where no score moved. `row` is the row of the design that it lies
    along, or None.
    """

    radius: float
    excess: float
    flat: bool
    row: int | None

    @property
    def agrees(self) -> bool:
        """Whether the pair and its centre lie on one line, to the floor."""
        return self.excess <= 1.0


@dataclass(frozen=True, slots=True)
class Agreeing:
    """A row of the design that was asked at a radius and lies on a line with c."""

    row: int
    radius: float
    centre: Floats
    half: Floats
    step: Floats
    change: Floats


@dataclass(frozen=True, slots=True)
class Middle:
    """A box's centre, and s (0 or 1, K) of a second line, if the instance is aside."""

    centre: Reading
    second: Floats


@dataclass(slots=True)
class Pairs:
    """Asks pairs about one instance, and keeps what may serve the design.

    A pair that agrees costs one question only: c + p is a probe of the design already.
    `changes` (K,) are what agreeing pairs showed of the weights, with their radii.
    """

    inquiry: Inquiry
    around: Surroundings
    origin: Reading
    design: Design
    rng: np.random.Generator
    agreeing: list[Agreeing] = field(default_factory=list)
    changes: list[tuple[float, Floats]] = field(default_factory=list)
    _rows: list[int] = field(default_factory=list)
    _middles: dict[bytes, Middle] = field(default_factory=dict)

    def along(
        self, r: float, row: int | None = None
    ) -> Generator[Probes, Answers, Look]:
        """Ask a pair along a row of the design: the one given, or another each time."""
        row = self._next_row() if row is None else row
        box = self._box(r)
        p = self.design.rows(row, row + 1) / self.design.reach
        look, step, change = yield from self._ask(r, box, p, row)
        if look.agrees:
            kept = Agreeing(row, r, box.centre, box.half, step, change)
            self.agreeing.append(kept)
        return look

    def anywhere(self, r: float) -> Generator[Probes, Answers, Look]:
        """Ask a pair in a direction that has nothing to do with the design.

        Its rows have entries of equal size, so that simple weights may cancel in one.
        """
        p = self.rng.uniform(-1.0, 1.0, size=(1, self.design.d))
        look, _, _ = yield from self._ask(r, self.around.box(r), p, None)
        return look

    def place(self, r: float) -> PlacedDesign:
        """The design in the box of a radius, with the rows that agreed farther out."""
        box = self._box(r)
        kept = {}
        for row in self.agreeing:
            longer = row.radius / r
            same_shape = np.allclose(
                row.half, box.half * longer, rtol=ROUNDED, atol=0.0
            )
            if longer >= 1 and same_shape and np.array_equal(row.centre, box.centre):
                kept[row.row] = Kept(row.step, row.change, longer)
        return PlacedDesign(self.design, box, kept)

    def _box(self, r: float) -> Box:
        """The box of a radius; weights lie in a subspace only if it is an even one."""
        box, part = self.around.box(r), self.design.size < self.design.d
        return box.even(self.around.scale) if part else box

    def _ask(
        self, r: float, box: Box, p: Floats, row: int | None
    ) -> Generator[Probes, Answers, tuple[Look, Floats, Floats]]:
        """Ask at c ± p: how it looks, the step that was made, and what it changed."""
        points = box.place(np.vstack([p, -p]))
        answers, middle = yield from self._with_middle(points, box)
        centre = middle.centre
        step, changes = points[0] - box.centre, answers.l - centre.l
        s = np.vstack([changes[:1] + changes[1:], middle.second])
        moved = np.abs(answers.l[0] - answers.l[1])
        three = np.vstack([answers.scores, centre.scores])
        slack = [1.0, 1.0, 2.0] @ self.inquiry.slack(three)
        judged = np.isfinite(s).all(axis=0) & ~self.inquiry.clipped()
        if not judged.any():
            return Look(r, np.inf, False, row), step, changes[0]
        tolerance = slack[judged]
        excess = float((np.abs(s)[:, judged] / tolerance).max())
        if excess <= 1.0:
            self.changes.append((r, changes[0]))
        flat = bool(np.all(moved[judged] <= tolerance))
        return Look(r, excess, flat, row), step, changes[0]

    def _with_middle(
        self, points: Floats, box: Box
    ) -> Generator[Probes, Answers, tuple[Reading, Middle]]:
        """Answers at points, and what is between them, asked once for each box."""
        key, x = box.centre.tobytes(), self.around.x
        if np.array_equal(box.centre, x):
            self._middles[key] = Middle(self.origin, self.origin.l[:0])
        if key in self._middles:
            return (yield from self.inquiry.ask(points, Purpose.PAIR)), self._middles[
                key
            ]
        aside = np.abs(box.steps(x)).max()
        # The instance is on no lattice, and may stick out of a box that is.
        beyond = max(1.0, aside)
        between = box.centre[None]
        if aside > ROUNDED:
            # The instance sits to one side: a second line goes through it.
            mirrored = box.centre - (x - box.centre) / beyond
            mirrored = np.clip(mirrored, self.around.lower, self.around.upper)
            between = np.vstack([between, mirrored])
        answers = yield from self.inquiry.ask(
            np.vstack([points, between]), Purpose.PAIR
        )
        answers, centre, mirror = answers[:2], answers[2:3], answers[3:]
        second = mirror.l - centre.l + (self.origin.l - centre.l) / beyond
        self._middles[key] = Middle(centre, second)
        return answers, self._middles[key]

    def _next_row(self) -> int:
        """A row that was not asked yet, while there is one."""
        if not self._rows:
            self._rows = self.rng.permutation(self.design.size).tolist()
        return self._rows.pop()
