"""Step 1: how far the region reaches. Pairs on opposite sides of a centre, ever closer.

Notation
--------
c    centre of a box, p a row of the design, as long as the box allows
s    l(c + p) + l(c - p) - 2 l(c)                     (K,)

Inside one region s is 0. When the pair straddles slopes it is not, with probability
1. A pair that agrees costs one question only: c + p is a probe of the design already.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from facetwise.core.designs import SignedCosine
from facetwise.core.domain import Box, Surroundings
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.noise import may_be_noise, measure_scatter
from facetwise.core.solve import Kept, PlacedDesign

FIRST = 2.0**-3
"""Length of the first steps when nothing is known, in scaled units; radii are √d times
smaller, since a step goes that far when all features move by a radius."""

GALLOP, STRIDE = 16.0, 4.0
"""The steps down: while nothing is known, and near a radius that is about right."""

ENOUGH = {1: 1, 4: 2, 10: 3, 200: 4, 500: 5}
"""From how many features on that many pairs have to agree, one or two of them at the
radius that is taken. A pair costs a question, a failed design costs d of them."""

SAFETY = 4.0
"""How far inside the radius of agreeing pairs the design stays: hundreds of probes
reach further towards some boundary than a few pairs do."""

MOST_DOUBTS = 6
"""Further pairs that are asked before a model is called smooth."""

ROUNDED = 2.0**-8
"""What rounding to a lattice may change of a box's shape."""

STANDS_OUT = 10.0
"""Tolerances that a curvature must fall short by, to be told from a boundary."""

FARTHEST = 1e3
"""How much farther than the first radius a constant answer has to stay constant."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one pair showed at a radius: `excess` is max |s| in tolerances."""

    radius: float
    excess: float
    flat: bool

    @property
    def agrees(self) -> bool:
        """Whether the pair and its centre lie on one line, to the floor."""
        return self.excess <= 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A radius at which answers did not agree; infinitely so where one was refused."""

    radius: float
    excess: float

    def tells(self, radius: float) -> bool:
        """Whether no smooth function fails here and yet agrees at `radius`.

        Its statistic shrinks as the square of the radius, a boundary's vanishes.
        """
        return self.excess * (radius / self.radius) ** 2 >= STANDS_OUT


@dataclass(frozen=True, slots=True)
class Agreeing:
    """A row of the design that was asked at a radius and lies on a line with c."""

    row: int
    radius: float
    centre: Floats
    half: Floats
    step: Floats
    change: Floats


@dataclass(slots=True)
class Search:
    """The search for one instance, and what it has seen so far."""

    inquiry: Inquiry
    around: Surroundings
    origin: Reading
    design: SignedCosine
    rng: np.random.Generator
    failure: Failure | None = None
    agreeing: list[Agreeing] = field(default_factory=list)
    farthest: float = 0.0
    _centres: dict[bytes, Reading] = field(default_factory=dict)

    def descend(self, start: float | None) -> Generator[Probes, Answers, Look | None]:
        """The last look at the first radius from `start` down where pairs agree.

        None where numbers are too coarse to go any closer.
        """
        r, here = start or FIRST / self.design.d**0.5, 0
        stride = STRIDE if start else GALLOP
        while self.around.resolves(r / SAFETY):
            look = yield from self.look(r)
            if not look.agrees and self._is_doubtful(look):
                before = self.inquiry.scatter
                yield from measure_scatter(self.inquiry, self.around, self.rng)
                look = Look(r, look.excess * before / self.inquiry.scatter, look.flat)
            if not look.agrees:
                self.failure, here = Failure(r, look.excess), 0
                r /= stride
                continue
            here, stride = here + 1, STRIDE
            if look.flat or (
                here >= min(2, self._enough())
                and (len(self.agreeing) >= self._enough())
            ):
                return look
        return None

    def look(self, r: float) -> Generator[Probes, Answers, Look]:
        """Ask one pair at a radius."""
        self.farthest = max(self.farthest, r)
        box = self.around.box(r)
        row = int(self.rng.integers(self.design.d))
        p = self.design.rows(row, row + 1) / self.design.reach
        steps = np.vstack([p, -p])
        aside = box.steps(self.around.x[None])
        if np.abs(aside).max() > ROUNDED:
            # The instance sits to one side: a second line goes through it.
            steps = np.vstack([steps, -aside])
        points = box.place(steps)
        answers, centre = yield from self._with_centre(points, box)
        ends = answers.l[0] + answers.l[1] - 2.0 * centre.l[0]
        moved = np.abs(answers.l[0] - answers.l[1])
        noise = answers.noise[0] + answers.noise[1] + 2.0 * centre.noise[0]
        judged = np.isfinite(ends) & ~self.inquiry.clipped()
        if answers.refused or not judged.any():
            return Look(r, np.inf, False)
        tolerance = self.inquiry.tolerance(noise)[judged]
        excess = float((np.abs(ends)[judged] / tolerance).max())
        if len(steps) > 2:
            ends = answers.l[2] + self.origin.l[0] - 2.0 * centre.l[0]
            excess = max(excess, float(np.nanmax(np.abs(ends)[judged] / tolerance)))
        if excess <= 1.0:
            step, change = points[0] - box.centre, answers.l[0] - centre.l[0]
            self.agreeing.append(Agreeing(row, r, box.centre, box.half, step, change))
        return Look(r, excess, bool(np.all(moved[judged] <= tolerance)))

    def bends(self, radius: float) -> Generator[Probes, Answers, bool]:
        """Whether the last failure is no worse than that of a smooth function.

        A pair that crossed a boundary by very little looks like that too, so others
        are asked at the same radius.
        """
        for _ in range(MOST_DOUBTS):
            if self.failure is None or self.failure.tells(radius):
                return False
            look = yield from self.look(self.failure.radius)
            worst = max(look.excess, self.failure.excess)
            self.failure = Failure(self.failure.radius, worst)
        return self.failure is not None and not self.failure.tells(radius)

    def place(self, r: float) -> PlacedDesign:
        """The design in the box of a radius, with the rows that agreed farther out."""
        box = self.around.box(r)
        kept = {}
        for row in self.agreeing:
            longer = row.radius / r
            same_shape = np.allclose(row.half, box.half * longer, rtol=ROUNDED)
            if longer >= 1 and same_shape and np.array_equal(row.centre, box.centre):
                kept[row.row] = Kept(row.step, row.change, longer)
        return PlacedDesign(self.design, box, kept)

    def stays_constant(self, near: Look) -> Generator[Probes, Answers, Look]:
        """Follow a pair that did not move outwards: the last look, flat or not.

        Equal answers never prove weights of zero: the service may round.
        """
        look = near
        while look.flat and look.agrees and look.radius < FARTHEST * near.radius:
            if not self.around.resolves(10.0 * look.radius):
                break
            look = yield from self.look(10.0 * look.radius)
        return look

    def _with_centre(
        self, points: Floats, box: Box
    ) -> Generator[Probes, Answers, tuple[Reading, Reading]]:
        """Answers at points, and at the box's centre if it is not known yet."""
        if np.array_equal(box.centre, self.around.x):
            return (yield from self.inquiry.ask(points, Purpose.PAIR)), self.origin
        key = box.centre.tobytes()
        if key in self._centres:
            answers = yield from self.inquiry.ask(points, Purpose.PAIR)
        else:
            points = np.vstack([points, box.centre])
            answers = yield from self.inquiry.ask(points, Purpose.PAIR)
            self._centres[key], answers = answers[-1:], answers[:-1]
        return answers, self._centres[key]

    def _is_doubtful(self, look: Look) -> bool:
        """Whether a statistic is low, or did not shrink as a boundary's would."""
        shrinks = self.failure is None or look.excess < self.failure.excess / 2.0
        return may_be_noise(self.inquiry, look.excess if shrinks else 0.0)

    def _enough(self) -> int:
        """Pairs that have to agree before a design is worth its price."""
        return max(n for d, n in ENOUGH.items() if self.design.d >= d)
