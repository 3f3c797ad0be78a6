"""Probe designs: sets of directions that the weights are solved from.

Notation
--------
G    orthonormal directions, one a row               (d, d)
R    length of a probe's step in scaled units
r    half-width of the box that probes lie in, R max|G| <= r

With orthonormal rows D = G'(l(x_i) - l(x_0))/R: nothing to factorise, condition
number 1, and the noise of one answer enters a weight once, divided by R. Cosines are
nearly flat (max|G| is √2/√d), so a step is long although each feature moves little.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Protocol

import numpy as np
import scipy.fft

from facetwise.core.messages import Floats, Ints

LARGEST_FACTOR = 1024
"""The largest cosine matrix kept whole, in 8 MB; larger d are factored into such."""


class Design(Protocol):
    """Orthonormal directions G (size, d) to probe along: all, or those of a subspace.

    `reach` is the largest entry of any.
    """

    d: int
    size: int
    reach: float

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop of G, (stop - start, d)."""

    def project(self, L: Floats) -> Floats:
        """G'L for L (size, K)."""

    def coordinates(self, steps: Floats) -> Floats:
        """G u for each of the steps (m, d): (m, size)."""


class SignedCosine:
    """Orthonormal cosine transform of d features, with a random sign a feature.

    Exactly d rows for any d, O(d log d) to invert, and never d x d numbers in memory:
    for large d it is the Kronecker product of the cosine transforms of d's factors.
    The signs spread what is smooth over neighbouring features, as in images, which
    plain cosines would meet in their first rows alone.
    """

    def __init__(self, d: int, rng: np.random.Generator) -> None:
        self.d = self.size = d
        self._factors = factors(d)
        # The largest entry of a cosine matrix is √(2/f), of the 1 x 1 one it is 1.
        self.reach = math.prod(math.sqrt(2.0 / max(f, 2)) for f in self._factors)
        self._signs = rng.choice([-1.0, 1.0], size=d)

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop of G, (stop - start, d)."""
        frequencies = np.unravel_index(np.arange(start, stop), self._factors)
        G, *others = map(_cosine_rows, self._factors, frequencies)
        for H in others:
            G = (G[:, :, None] * H[:, None, :]).reshape(stop - start, -1)
        G *= self._signs
        return G

    def project(self, L: Floats) -> Floats:
        """G'L for L (d, K)."""
        axes = tuple(range(len(self._factors)))
        blocks = L.reshape(*self._factors, L.shape[1])
        product: Floats = scipy.fft.idctn(blocks, axes=axes, norm="ortho")
        projected: Floats = product.reshape(L.shape) * self._signs[:, None]
        return projected

    def coordinates(self, steps: Floats) -> Floats:
        """Steps (m, d) in the basis of the rows: G u for each, (m, d)."""
        axes = tuple(range(1, 1 + len(self._factors)))
        blocks = (steps * self._signs).reshape(-1, *self._factors)
        product: Floats = scipy.fft.dctn(blocks, axes=axes, norm="ortho")
        return product.reshape(steps.shape)


def factors(d: int) -> tuple[int, ...]:
    """As few factors of d as possible with none above `LARGEST_FACTOR`.

    A larger prime is left whole: its rows are then computed when they are needed.
    """
    if d <= LARGEST_FACTOR:
        return (d,)
    for f in range(LARGEST_FACTOR, 1, -1):
        if d % f == 0:
            return (*factors(d // f), f)
    return (d,)


def uniform_cloud(rng: np.random.Generator, n: int, half_width: Floats) -> Floats:
    """n steps (n, d), uniform in the box of the given half-widths around 0."""
    return rng.uniform(-half_width, half_width, size=(n, len(half_width)))


def _cosine_rows(f: int, frequency: Ints) -> Floats:
    """Rows of the f x f cosine matrix with the given frequencies."""
    return _cosines(f)[frequency] if f <= LARGEST_FACTOR else _cosine(f, frequency)


@lru_cache(maxsize=8)
def _cosines(f: int) -> Floats:
    matrix = _cosine(f, np.arange(f))
    matrix.setflags(write=False)
    return matrix


def _cosine(f: int, frequency: Ints) -> Floats:
    # Reduced modulo 4f in integers: cosines of large angles would lose digits.
    angle = (frequency[:, None] * (2 * np.arange(f) + 1)) % (4 * f)
    rows: Floats = np.cos(angle * (np.pi / (2 * f))) * math.sqrt(2.0 / f)
    rows[frequency == 0] = math.sqrt(1.0 / f)
    return rows
