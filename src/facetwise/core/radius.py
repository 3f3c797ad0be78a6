"""How far the region reaches: pairs of points on opposite sides, ever closer.

Notation
--------
c    centre of a box, p a step to one of its corners
s    l(c + p) + l(c - p) - 2 l(c)                     (K,)

Inside one region s is 0. When the pair straddles slopes it is not, with probability
1. So two questions a radius find one at which a whole design is worth its price.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from facetwise.core.domain import DOUBLE_BITS, Box, Surroundings, spacing
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Probes, Purpose

FIRST = 2.0**-4
"""Where the search begins, in scaled units."""

GALLOP = 16.0
"""The step down after a pair that disagrees."""

DOUBTFUL = 1e3
"""A statistic this many tolerances high may be noise, and then noise is measured."""

STANDS_OUT = 10.0
"""Tolerances that a curvature must fall short by, to be told from a boundary."""

FARTHEST = 1e3
"""How much farther than the first radius a constant answer has to stay constant."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one pair showed at a radius: `excess` is max |s| in tolerances."""

    radius: float
    box: Box
    centre: Reading
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


Search = Generator[Probes, Answers, tuple[Look | None, Failure | None]]


def find_radius(
    inquiry: Inquiry,
    around: Surroundings,
    origin: Reading,
    start: float,
    failure: Failure | None,
    rng: np.random.Generator,
) -> Search:
    """The first radius from `start` down at which a pair agrees, and the last failure.

    No look comes back when numbers are too coarse to go any closer.
    """
    r = start
    while around.resolves(r):
        look = yield from look_around(inquiry, around.box(r), r, origin, around.x, rng)
        if 1.0 < look.excess < DOUBTFUL:
            before = inquiry.scatter
            yield from measure_scatter(inquiry, around, rng)
            if look.excess <= inquiry.scatter / before:
                return look, failure
        if look.agrees:
            return look, failure
        failure = Failure(r, look.excess)
        r /= GALLOP
    return None, failure


def look_around(
    inquiry: Inquiry,
    box: Box,
    r: float,
    origin: Reading,
    x: Floats,
    rng: np.random.Generator,
) -> Generator[Probes, Answers, Look]:
    """Ask one pair at random opposite corners of a box."""
    corner = rng.choice([-1.0, 1.0], size=len(x))
    steps = np.stack([corner, -corner])
    off_centre = box.steps(x[None])
    if np.abs(off_centre).max() > 2.0**-8:
        # The instance sits to one side: a second line goes through it.
        steps = np.vstack([steps, -off_centre])
    points = box.place(steps)
    own = np.array_equal(box.centre, x)
    if not own:
        points = np.vstack([points, box.centre])
    answers = yield from inquiry.ask(points, Purpose.PAIR)
    centre = origin if own else Reading(answers.l[-1:], answers.noise[-1:])
    lines = [(answers.l[0] + answers.l[1], answers.noise[0] + answers.noise[1])]
    if len(steps) > 2:
        lines.append((answers.l[2] + origin.l[0], answers.noise[2] + origin.noise[0]))
    s = np.stack([ends - 2 * centre.l[0] for ends, _ in lines])
    tolerance = inquiry.tolerance(
        np.stack([noise + 2 * centre.noise[0] for _, noise in lines])
    )
    difference = np.abs(answers.l[0] - answers.l[1])
    judged = np.isfinite(s).all(axis=0) & ~inquiry.stuck()
    if answers.refused or not judged.any():
        return Look(r, box, centre, np.inf, False)
    excess = (np.abs(s) / tolerance)[:, judged]
    flat = np.all((difference <= tolerance[0])[judged])
    return Look(r, box, centre, float(excess.max()), bool(flat))


def measure_scatter(
    inquiry: Inquiry, around: Surroundings, rng: np.random.Generator
) -> Generator[Probes, Answers, None]:
    """Ask two pairs as near as numbers allow: what they differ by is noise.

    In the difference of two pairs the instance's own answer cancels, so that a piece
    so thin that it holds nothing but the instance is not taken for noise.
    """
    ulp = spacing(around.x, around.scale, DOUBLE_BITS)
    steps = ulp * rng.integers(1, 9, size=(2, len(ulp)))
    steps *= rng.choice([-1.0, 1.0], size=steps.shape)
    points = around.x + np.vstack([steps, -steps])
    points = np.clip(points, around.lower, around.upper)
    answers = yield from inquiry.ask(points, Purpose.NOISE)
    difference = np.abs([1.0, -1.0, 1.0, -1.0] @ answers.l)
    with np.errstate(invalid="ignore"):
        steps_apart = difference / answers.noise.sum(axis=0)
    apart = steps_apart[np.isfinite(steps_apart)]
    inquiry.scatter = max(inquiry.scatter, float(apart.max(initial=0.0)))


def stays_constant(
    inquiry: Inquiry,
    around: Surroundings,
    origin: Reading,
    near: Look,
    rng: np.random.Generator,
) -> Generator[Probes, Answers, Look]:
    """Follow a pair that did not move outwards: the last look that is flat, or not.

    Equal answers never prove weights of zero: the service may round.
    """
    look, r = near, near.radius
    while look.flat and look.agrees and r < FARTHEST * near.radius:
        r *= 10.0
        look = yield from look_around(inquiry, around.box(r), r, origin, around.x, rng)
    return look
