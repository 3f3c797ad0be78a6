"""Where probes may go: scale, limits, frozen features, and boxes around a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from facetwise.core.floor import MOST_DECIMALS, Grid
from facetwise.core.messages import Floats
from facetwise.errors import InputError

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

NEXT_TO_NOTHING = 1e-14
"""A feature this small beside the largest one is a 0 that arithmetic blurred."""


ALIKE, FAR_OFF, MOST = 2.0**-4, 2.0**-10, 2.0 / 3.0
"""Magnitudes, as shares of the largest one, that are taken for the same unit, and for
another one; and the share of features that have to be alike."""


@dataclass(frozen=True, slots=True)
class Domain:
    """How the features may be moved.

    Parameters
    ----------
    lower, upper
        Limits that no probe crosses: one number, or one a feature.
    scale
        A typical step of each feature: one number, or one a feature. Radii and the
        scaled bound are counted in it. By default the largest magnitude that the
        feature has in the instances explained, or 1 where that is 0. Where most
        features are alike, as pixels are, one step serves all of that unit.
    frozen
        Features that are never moved: a mask, or their indices. Their weights are NaN.
    """

    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    scale: ArrayLike | None = None
    frozen: ArrayLike | None = None

    def resolve(self, X: Floats) -> ResolvedDomain:
        """Fix limits, scale and moving features for the instances X (n, d)."""
        d = X.shape[1]
        lower = _per_feature("lower", self.lower, -np.inf, d)
        upper = _per_feature("upper", self.upper, np.inf, d)
        if np.any(lower > upper):
            j = int(np.argmax(lower > upper))
            raise InputError(
                f"Domain: lower is above upper for feature {j} "
                f"({lower[j]:g} > {upper[j]:g}). Exchange them."
            )
        outside = (lower > X) | (upper < X)
        if outside.any():
            i, j = np.argwhere(outside)[0]
            raise InputError(
                f"Row {i} lies outside its domain: feature {j} is {X[i, j]:g}, the "
                f"limits are {lower[j]:g} and {upper[j]:g}. Widen the limits, or leave "
                "the row out."
            )
        moving = _moving(self.frozen, d) & (lower < upper)
        if not moving.any():
            raise InputError(
                "Domain: every feature is frozen, or has equal limits, so there is "
                "nothing to explain. Leave at least one free."
            )
        return ResolvedDomain(_scale(self.scale, X), lower, upper, moving, _grain(X))


@dataclass(frozen=True, slots=True)
class ResolvedDomain:
    """Scale, limits (d,) and the mask (d,) of features that move.

    `grain` (d,) is the step between the values that each feature has, such as 1 for
    ages and 0.01 for amounts, or 0.
    """

    scale: Floats
    lower: Floats
    upper: Floats
    moving: NDArray[np.bool_]
    grain: Floats

    def around(self, x: Floats) -> Surroundings:
        """The surroundings of one instance (d,), in its moving features alone."""
        m = self.moving
        limits = self.lower[m], self.upper[m]
        return Surroundings(x[m], self.scale[m], *limits, self.grain[m])


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

    def steps(self, points: Floats) -> Floats:
        """Realised steps (n, d) of points, in half-widths."""
        steps: Floats = (points - self.centre) / self.half
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


def _per_feature(name: str, given: ArrayLike | None, default: float, d: int) -> Floats:
    """One number a feature."""
    try:
        value: Any = np.asarray(default if given is None else given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"Domain({name}=...) needs numbers; got {given!r}.") from error
    if value.ndim > 1 or (value.ndim == 1 and len(value) != d):
        raise InputError(
            f"Domain({name}=...) needs one number or {d}, one a feature; "
            f"got shape {value.shape}."
        )
    if np.isnan(value).any():
        raise InputError(
            f"Domain({name}=...) holds NaN. Use -inf or inf where there is no limit."
        )
    return np.broadcast_to(value, (d,)).copy()


def _scale(given: ArrayLike | None, X: Floats) -> Floats:
    if given is None:
        return _typical_step(np.abs(X).max(axis=0))
    scale = _per_feature("scale", given, 1.0, X.shape[1])
    if not np.all(np.isfinite(scale) & (scale > 0)):
        raise InputError(
            "Domain(scale=...) needs finite steps above 0. "
            "To keep a feature from moving, name it in Domain(frozen=...)."
        )
    return scale


def _grain(X: Floats) -> Floats:
    """The decimal step (d,) that all values of a feature are multiples of, or 0."""
    places = Grid().seen(X).places
    decimal = (places <= MOST_DECIMALS) & X.any(axis=0)
    return np.where(decimal, 10.0 ** -places.astype(float), 0.0)


def _typical_step(magnitude: Floats) -> Floats:
    """The step of each feature, from the largest magnitude that each one has.

    A pixel that happens to be dark has the unit of the bright ones: where most
    features are alike, the others that are not far off are given the same step.
    """
    largest = magnitude.max()
    shown = magnitude > NEXT_TO_NOTHING * largest
    if not shown.any():
        return np.ones_like(magnitude)
    alike = magnitude >= ALIKE * largest
    if np.count_nonzero(alike) < MOST * np.count_nonzero(shown):
        return np.where(shown, magnitude, 1.0)
    far_off = shown & (magnitude < FAR_OFF * largest)
    return np.where(far_off, magnitude, largest)


def _moving(frozen: ArrayLike | None, d: int) -> NDArray[np.bool_]:
    moving = np.ones(d, dtype=bool)
    which: Any = np.asarray([] if frozen is None else frozen)
    if which.size == 0:
        return moving
    if which.dtype == bool and which.shape != (d,):
        raise InputError(
            f"Domain(frozen=...) as a mask needs {d} entries; got shape {which.shape}."
        )
    if which.dtype != bool and not np.issubdtype(which.dtype, np.integer):
        raise InputError("Domain(frozen=...) needs a mask or indices of features.")
    if which.dtype != bool and not np.all((which >= -d) & (which < d)):
        raise InputError(
            f"Domain(frozen=...) names a feature outside 0 to {d - 1}: "
            f"{which.tolist()}."
        )
    moving[which] = False
    return moving
