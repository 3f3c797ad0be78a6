"""Where probes may go: scale, limits, and features that are frozen or on a lattice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from facetwise.core.box import Surroundings
from facetwise.core.floor import MOST_DECIMALS, Grid
from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError

NEXT_TO_NOTHING = 1e-14
"""A feature this small beside the largest one is a 0 that arithmetic blurred."""


OFF_LATTICE = 1e-6
"""Steps by which arithmetic may have moved a value from its lattice."""

ALIKE, FAR_OFF, MOST = 2.0**-4, 2.0**-10, 2.0 / 3.0
"""Magnitudes, as shares of the largest one, that are taken for the same unit, and for
another one; and the share of features that have to be alike."""


CHANCE = 8
"""Values with few decimals that chance does not explain."""


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
    step
        The step between the values of features that have only some, such as 1 for
        whole numbers and for 0 and 1: one number, or one a feature, 0 where any value
        will do. Values are multiples of it, counted from the lower limit if there is
        one. Such a feature is asked at its next value, and has a weight if the region
        reaches that far; otherwise it is NaN.
    """

    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    scale: ArrayLike | None = None
    frozen: ArrayLike | None = None
    step: ArrayLike | None = None

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
        step = np.where(moving, _step(self.step, d), 0.0)
        _check_on_lattice(X, lower, step)
        moving &= step == 0.0
        if not moving.any():
            raise InputError(
                "Domain: every feature that may move has a step, and a region can only "
                "be told from features that take any value. Leave step=0 for at least "
                "one that the model answers fractions of."
            )
        scale = _scale(self.scale, X)
        return ResolvedDomain(scale, lower, upper, moving, _grain(X), step)


@dataclass(frozen=True, slots=True)
class ResolvedDomain:
    """Scale, limits (d,) and the mask (d,) of features that move freely.

    `grain` (d,) is the step between the values that each feature has, such as 1 for
    ages and 0.01 for amounts, or 0. `step` (d,) is that of the features which may be
    moved to such values only, and 0 for all others.
    """

    scale: Floats
    lower: Floats
    upper: Floats
    moving: NDArray[np.bool_]
    grain: Floats
    step: Floats

    def next_values(self, x: Floats) -> tuple[Ints, Floats]:
        """Features (n,) on a lattice, and a value (n,) beside the one that each has."""
        features = np.flatnonzero(self.step)
        at, step = x[features], self.step[features]
        # A neighbour that rounding carries across a limit is the limit itself.
        slack = OFF_LATTICE * step
        above, below = at + step, at - step
        has_above = above <= self.upper[features] + slack
        has_below = below >= self.lower[features] - slack
        beside = np.where(has_above, above, below)
        beside = np.clip(beside, self.lower[features], self.upper[features])
        known = has_above | has_below
        return features[known], beside[known]

    def around(self, x: Floats) -> Surroundings:
        """The surroundings of one instance (d,), in its moving features alone."""
        m = self.moving
        limits = self.lower[m], self.upper[m]
        return Surroundings(x[m], self.scale[m], *limits, self.grain[m])


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
    """The decimal step (d,) that all values of a feature are multiples of, or 0.

    A few values beside many zeros may have few decimals by chance, unless they are
    whole numbers.
    """
    places = Grid().seen(X).places
    told = np.count_nonzero(X, axis=0)
    shown = (told >= min(len(X) / 2.0, CHANCE)) | (places == 0)
    decimal = (places <= MOST_DECIMALS) & shown & (told > 0)
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


def _step(given: ArrayLike | None, d: int) -> Floats:
    step = _per_feature("step", given, 0.0, d)
    if not np.all(np.isfinite(step) & (step >= 0.0)):
        raise InputError(
            "Domain(step=...) needs finite steps, 0 where a feature may take any value."
        )
    return step


def _check_on_lattice(X: Floats, lower: Floats, step: Floats) -> None:
    """Whether all rows have values that their features' steps allow."""
    start = np.where(np.isfinite(lower), lower, 0.0)
    counted = (X - start) / np.where(step > 0.0, step, np.inf)
    off = np.abs(counted - np.rint(counted)) > OFF_LATTICE
    if off.any():
        i, j = np.argwhere(off)[0]
        raise InputError(
            f"Row {i} lies beside the lattice of Domain(step=...): feature {j} is "
            f"{X[i, j]:g}, which is not {start[j]:g} plus a multiple of {step[j]:g}. "
            "Correct the step, or the lower limit that it counts from."
        )


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
