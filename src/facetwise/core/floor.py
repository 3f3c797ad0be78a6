"""The floor: how far an answer may be from the number that the model meant.

It has two parts. The *grid* is read off the digits of the answers: 64-bit, 32-bit,
fixed decimals, significant digits. The *scatter* is measured: by how many grid steps
answers differ where they ought to agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.messages import Floats

MOST_DECIMALS = 10
MOST_DIGITS = 9
"""Finer decimal grids than these are not told apart from 64-bit answers: they are
then part of the measured scatter."""

ARITHMETIC = 16.0
"""Grid steps that ordinary arithmetic scatters: a layered model's 64-bit outputs are
seldom exact to the last digit, its 32-bit ones never. Only decides what is worth
measuring and what has crossed a boundary; no bound is computed from it."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The coarsest grid that every score seen so far lies on.

    More answers can only refute a coarse grid, so it starts coarse and gets finer:
    too few answers make a bound wider, never too narrow.
    """

    single: bool = True
    decimals: int = 0
    digits: int = 1

    def seen(self, scores: Floats) -> Grid:
        """The grid after `scores` were seen as well."""
        y = scores[np.isfinite(scores)]
        if y.size == 0:
            return self
        single = self.single and bool(np.array_equal(y, y.astype(np.float32)))
        # Decimals that went through 32 bits are only that close to decimals.
        slack = np.abs(y) * (1.01 * 2.0**-24 if single else 2.0**-50)
        decimals = self.decimals
        while decimals <= MOST_DECIMALS and _misses(y, decimals, slack):
            decimals += 1
        digits = self.digits
        while digits <= MOST_DIGITS and _misses(y, _places(y, digits), slack):
            digits += 1
        if (single, decimals, digits) == (self.single, self.decimals, self.digits):
            return self
        return replace(self, single=single, decimals=decimals, digits=digits)

    @property
    def finest(self) -> bool:
        """Whether no more answers can make it finer."""
        return (
            not self.single
            and self.decimals > MOST_DECIMALS
            and self.digits > MOST_DIGITS
        )

    def half_step(self, scores: Floats) -> Floats:
        """Half a grid step at each score: the most that rounding can have moved it."""
        y = np.abs(scores)
        # Below the smallest normal number the steps no longer shrink.
        if self.single:
            half = np.maximum(y * 2.0**-24, 2.0**-150)
        else:
            half = np.maximum(y * 2.0**-53, 2.0**-1074)
        # Decimals that went through 32 bits are off by both.
        if self.decimals <= MOST_DECIMALS:
            half = half + 0.5 * 10.0**-self.decimals
        if self.digits <= MOST_DIGITS:
            half = half + 0.5 * 10.0 ** -_places(y, self.digits)
        return half

    def __str__(self) -> str:
        if self.decimals <= MOST_DECIMALS:
            return f"{self.decimals} decimals"
        if self.digits <= MOST_DIGITS:
            return f"{self.digits} significant digits"
        return "32-bit" if self.single else "64-bit"


def _places(y: Floats, digits: int) -> Floats:
    """Decimal places that `digits` significant digits leave at each y."""
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log10(np.abs(y)))
    return digits - 1 - np.where(np.isfinite(exponent), exponent, 0.0)


def _misses(y: Floats, places: Floats | int, slack: Floats) -> bool:
    """Whether some y is not a multiple of 10^-places, to within `slack`."""
    step = 10.0 ** -np.asarray(places, dtype=float)
    off = np.abs(y - np.round(y / step) * step)
    # Where the grid is as fine as the number's own digits, it says nothing.
    telling = slack < 0.25 * step
    return not telling.any() or bool(np.any(off[telling] > slack[telling]))
