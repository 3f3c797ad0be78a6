"""The floor: how far an answer may be from the number that the model meant.

It has two parts. The *grid* is read off the digits of the answers: 64-bit, 32-bit,
fixed decimals, significant digits. The *scatter* is measured: by how many grid steps
answers differ where they ought to agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from facetwise.core.messages import Floats, Ints, Mask

MOST_DECIMALS = 10
MOST_DIGITS = 9
MOST_SINGLE_DIGITS = 7
"""Finer decimal grids than these are not told apart from 64-bit answers: they are
then part of the measured scatter. 32 bits hold no more than 7 digits."""

DECIMALS = np.arange(MOST_DECIMALS + 1)[:, None]
DIGITS = np.arange(1, MOST_DIGITS + 1)[:, None]
"""The grids that are tried, the coarsest first."""

ARITHMETIC = 16.0
"""Steps of its numbers that ordinary arithmetic scatters: a layered model's 64-bit
outputs are seldom exact to the last digit, its 32-bit ones never. Only decides what is
worth measuring and what has crossed a boundary; no bound is computed from it."""

ROUNDING = 1.5
"""Half steps of a grid that answers on it may miss a fit by. Rounding itself is exact;
a fit that was made from rounded answers is not."""


TINIEST = float(np.nextafter(0.0, 1.0))
"""The smallest number above 0, which has no half."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The coarsest grid that every score seen so far lies on, class by class.

    More answers can only refute a coarse grid, so it starts coarse and gets finer:
    too few answers make a bound wider, never too narrow. A class that has not moved
    yet, such as one at exactly 1.0, says nothing of its grid and is given the joint
    one.
    """

    singles: Mask = field(default_factory=lambda: np.ones(0, dtype=bool))
    places: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    significant: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    first: Floats = field(default_factory=lambda: np.zeros(0))
    moved: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def seen(self, scores: Floats) -> Grid:
        """The grid after `scores` (n, C) were seen as well."""
        if len(scores) == 0:
            return self
        y = np.where(np.isfinite(scores), scores, 0.0)  # 0 lies on every grid
        start = self if self.first.size else _coarsest(y[0])
        with np.errstate(over="ignore"):  # too large for 32 bits: infinite there
            singles = start.singles & np.all(y == y.astype(np.float32), axis=0)
        # Decimals that went through 32 bits are only that close to decimals.
        slack = np.where(singles, 1.01 * _half_single(y), np.abs(y) * 2.0**-50)
        y, slack = y[:, None], slack[:, None]  # (n, 1, C), for all grids at once
        missed = (start.places > DECIMALS) | _misses(y, DECIMALS, slack, singles)
        places = _first(DECIMALS, ~missed)
        at = _places(y, DIGITS)
        missed = (start.significant > DIGITS) | _misses(y, at, slack, singles)
        significant = _first(DIGITS, ~missed)
        moved = start.moved | np.any(y[:, 0] != start.first, axis=0)
        return Grid(singles, places, significant, start.first, moved)

    @cached_property
    def finest(self) -> bool:
        """Whether no more answers can make it finer."""
        fine = ~self.singles & (self.places > MOST_DECIMALS)
        fine &= (self.significant > MOST_DIGITS) & self.moved
        return bool(fine.all()) and self.first.size > 0

    @property
    def single(self) -> bool:
        """Whether all scores are 32-bit numbers."""
        return bool(self.singles.all())

    @property
    def decimals(self) -> int:
        """Decimal places that all scores do with."""
        return int(self.places.max(initial=0))

    @property
    def digits(self) -> int:
        """Significant digits that all scores do with."""
        return int(self.significant.max(initial=1))

    def half_step(self, scores: Floats) -> Floats:
        """Half a grid step at each score: the most that rounding can have moved it."""
        number = self.half_number(scores)
        if self.finest:
            return number
        y = np.abs(scores)
        places = np.where(self.moved, self.places, self.decimals)
        digits = np.where(self.moved, self.significant, self.digits)
        coarse = np.where(
            places <= MOST_DECIMALS, 0.5 * 10.0 ** -places.astype(float), 0
        )
        shortened = np.where(
            digits <= MOST_DIGITS, 0.5 * 10.0 ** -_places(y, digits), 0
        )
        # Decimals that went through 32 bits are off by both.
        hidden: Floats = number + np.maximum(coarse, shortened)
        return hidden

    def half_number(self, scores: Floats) -> Floats:
        """Half the distance of numbers next to each score, in 32 or in 64 bits."""
        y = np.abs(scores)
        single = np.where(self.moved, self.singles, self.single)
        half_double = np.maximum(np.spacing(y) / 2.0, TINIEST)
        return np.where(single, _half_single(y), half_double)

    def __str__(self) -> str:
        # A decimal grid finer than 32 bits is merely one that they cannot refute.
        finest = _half_single(self.first).min(initial=np.inf) if self.single else 0.0
        if self.decimals <= MOST_DECIMALS and 0.5 * 10.0**-self.decimals > finest:
            return f"{self.decimals} decimals"
        if self.digits <= (MOST_SINGLE_DIGITS if self.single else MOST_DIGITS):
            return f"{self.digits} significant digits"
        return "32-bit" if self.single else "64-bit"


def _coarsest(first: Floats) -> Grid:
    """The grid before anything refutes it, for classes that first scored `first`."""
    C = len(first)
    ones, zeros = np.ones(C, dtype=np.intp), np.zeros(C, dtype=np.intp)
    return Grid(ones.astype(bool), zeros, ones, first, zeros.astype(bool))


def _half_single(y: Floats) -> Floats:
    """Half the distance of 32-bit numbers next to each y; NaN beyond the largest."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.spacing(np.abs(y).astype(np.float32))
    return np.asarray(step, dtype=np.float64) / 2.0


def _places(y: Floats, digits: Ints) -> Floats:
    """Decimal places that `digits` significant digits leave at each y."""
    with np.errstate(divide="ignore"):
        # 0.1 in 32 bits may be a little less than 0.1, and has its places still.
        exponent = np.floor(np.log10(np.abs(y) * (1.0 + 2.0**-22)))
    exponent = np.where(np.isfinite(exponent), exponent, 0.0)
    return np.asarray(digits - 1.0 - exponent, dtype=np.float64)


def _first(candidates: Ints, fits: Mask) -> Ints:
    """The first of the candidates (G, 1) that fits (G, C), or one beyond the last."""
    found = candidates[fits.argmax(axis=0), 0]
    first: Ints = np.where(fits.any(axis=0), found, candidates[-1] + 1)
    return first


def _misses(y: Floats, places: Floats | Ints, slack: Floats, singles: Mask) -> Mask:
    """Grids (G, C) of which some number in y (n, 1, C) is no multiple, within slack.

    Where the grid is as fine as the numbers' own digits they say nothing. In 64 bits
    it is taken for missed then, as arithmetic scatters more than it could hide.
    """
    step = 10.0 ** -np.asarray(places, dtype=float)
    telling = slack < 0.5 * step
    steps = np.zeros_like(telling, dtype=float)
    np.divide(y, step, out=steps, where=telling)  # elsewhere it may be too large
    off = np.abs(y - np.round(steps) * step)
    missed: Mask = np.any(telling & (off > slack), axis=0)
    return missed | ~(telling.any(axis=0) | singles)
