"""Boxes around a point: inside the limits, their points on numbers of few digits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.messages import Floats

SINGLE_BITS = 24
DOUBLE_BITS = 53
"""Digits of a 32-bit and of a 64-bit number."""

STEPS_PER_SIDE = 2.0**10
"""Representable numbers that a box needs on each side of its centre: with as many, a
uniform draw from them is as good as one from the line (docs/certificate.md)."""

LATTICE = 2.0**-4
"""Boxes up to this radius have their points on the same lattice."""

HUGE = 2.0**1000
"""Numbers beyond this leave no room to calculate with them."""


@dataclass(frozen=True, slots=True)
class Box:
    """Points that a service may be asked about: centre and half-widths (d,).

    With a `quantum` (d,) all points are multiples of it, which 32-bit numbers hold
    exactly: a service that casts its inputs to them changes nothing. `limits` are
    given where rounding could carry a point across them.
    """

    centre: Floats
    half: Floats
    quantum: Floats | None = None
    limits: tuple[Floats, Floats] | None = None

    def place(self, steps: Floats) -> Floats:
        """Points (n, d) at steps (n, d) counted in half-widths, -1 to 1."""
        points = steps * self.half
        points += self.centre
        if self.quantum is not None:
            points /= self.quantum
            np.rint(points, out=points)
            points *= self.quantum
        if self.limits is not None:
            np.clip(points, *self.limits, out=points)
        return points

    def even(self, scale: Floats) -> Box:
        """The largest box inside with half-widths in proportion to a scale (d,)."""
        return replace(self, half=(self.half / scale).min() * scale)

    def steps(self, points: Floats) -> Floats:
        """Realised steps (n, d) of points, in half-widths."""
        steps = points - self.centre
        steps /= self.half  # in place: a second array would cost more than the division
        return steps


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One instance and what limits its boxes, all (d,)."""

    x: Floats
    scale: Floats
    lower: Floats
    upper: Floats
    grain: Floats

    def box(self, r: float) -> Box:
        """The part of the box of half-width r in scaled units that is in the domain.

        Where a limit is nearer than r, the box is cut there and its centre is not x.
        """
        reach = r * self.scale
        low = np.maximum(self.x - reach, self.lower)
        high = np.minimum(self.x + reach, self.upper)
        cut = (low > self.x - reach) | (high < self.x + reach)
        middle = np.where(cut, (low + high) / 2, self.x)
        # One lattice for all small boxes, so that those not cut share a centre.
        quantum = spacing(self.x, np.maximum(reach, LATTICE * self.scale), SINGLE_BITS)
        if np.all(high - low >= 2 * STEPS_PER_SIDE * quantum):
            low = np.ceil(low / quantum) * quantum
            high = np.floor(high / quantum) * quantum
            middle = np.clip(np.rint(middle / quantum) * quantum, low, high)
            return Box(middle, np.minimum(high - middle, middle - low), quantum)
        if not cut.any():
            return Box(self.x, reach)
        half = np.where(cut, (high - low) / 2, reach)
        return Box(middle, half, limits=(self.lower, self.upper))

    def resolves(self, r: float) -> bool:
        """Whether 64-bit numbers hold a box of half-width r, and finely enough."""
        reach = r * self.scale
        if not np.all(np.abs(self.x) + reach < HUGE):
            return False
        reach = np.minimum(reach, self.upper - self.lower)
        finest = STEPS_PER_SIDE * spacing(self.x, reach, DOUBLE_BITS)
        return bool(np.all((reach >= finest) & (finest > 0.0)))


def spacing(x: Floats, reach: Floats, bits: int) -> Floats:
    """Powers of two (d,) whose multiples within `reach` of x fit into so many bits."""
    _, exponent = np.frexp(np.abs(x) + reach)
    quantum: Floats = np.ldexp(1.0, exponent - bits)
    return quantum
