"""The subspace that weights have lain in so far, and designs that probe inside it.

All weights of a network lie in the row space of its first layer, and those of many
models in less than all directions. Nothing is believed of that: check points outside
the subspace decide, and where they disagree the missing directions are asked.

Notation
--------
D    weights in scaled units, scale∘D                      (d, n)
Q    orthonormal basis of the subspace, a column each      (d, k)
G    orthonormal directions, one a row                     (k, d)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.fft
import scipy.linalg

from facetwise.core.designs import Design
from facetwise.core.messages import Floats
from facetwise.core.patience import Patience
from facetwise.core.recovered import Asked, Recovered

SHOWS = 2.0
"""Times its own error bound that a direction has to show, to be one."""

WORTH = 0.75
"""Share of all directions above which a subspace spares too few questions."""

EXACT = 2.0**-48
"""Error of the best weights that there are, as a share: arithmetic is no better."""

FILLED = 0.9
"""A subspace is worth a try when no more than this share of the directions in the
latest weights were new ones. Until then it would miss each of them."""

MOST_NUMBERS = 2**22
"""Numbers that a basis may have, 32 MB."""


class Directions:
    """Orthonormal directions G (k, d), kept whole: those of a subspace, or all."""

    def __init__(self, G: Floats) -> None:
        self._G = G
        self.size, self.d = G.shape
        self.reach = float(np.abs(G).max())

    def rows(self, start: int, stop: int) -> Floats:
        """Rows start to stop of G, (stop - start, d)."""
        return self._G[start:stop].copy()

    def project(self, L: Floats) -> Floats:
        """G'L for L (k, K)."""
        projected: Floats = self._G.T @ L
        return projected

    def coordinates(self, steps: Floats) -> Floats:
        """Steps (m, d) in the basis of the rows: G u for each, (m, k)."""
        product: Floats = steps @ self._G.T
        return product


class Span:
    """Learns a subspace from weights that are known to within a bound."""

    def __init__(self) -> None:
        # U S of all weights in units of their own errors: it has all that they say.
        self._learnt: Floats | None = None
        self._is_filled = self._is_useless = False
        self._patience = Patience()

    def judge(self, records: Sequence[Recovered]) -> None:
        """Hear how it went in a wave."""
        tried = [r for r in records if r.asked in (Asked.INSIDE, Asked.REST)]
        others = [r for r in records if r.asked is Asked.ALL]
        self._patience.judge(tried, others)

    def learn(self, D: Floats, error: Floats) -> None:
        """Take in weights D (d, n), each known to within `error` (n,) in length."""
        told = np.linalg.norm(D, axis=0) > 0.0
        if self._is_useless or not told.any():
            return
        D, error = D[:, told], error[told]
        error = np.maximum(error, EXACT * np.linalg.norm(D, axis=0))
        new, before = _shown(D / error), self._learnt
        known = 0 if before is None else before.shape[1]
        self._learnt = new if before is None else _shown(np.hstack([before, new]))
        d, k = self._learnt.shape
        self._is_filled = k - known < FILLED * new.shape[1]
        if k > WORTH * d or d * k > MOST_NUMBERS:
            self._is_useless, self._learnt = True, None

    def directions(self, rng: np.random.Generator) -> Directions | None:
        """Directions that fill the subspace, or None where it still grows."""
        resting = not self._is_filled or self._patience.is_resting
        if self._learnt is None or resting:
            return None
        lengths = np.linalg.norm(self._learnt, axis=0)
        Q: Floats = np.divide(self._learnt, lengths)
        return Directions(_flat(Q, rng))


def completed(part: Design, rng: np.random.Generator) -> Directions:
    """The directions of a part, and after them all that are missing."""
    G = part.rows(0, part.size)
    orthogonal = np.asarray(scipy.linalg.qr(G.T)[0], dtype=np.float64)
    return Directions(np.vstack([G, _flat(orthogonal[:, part.size :], rng)]))


def _shown(told: Floats) -> Floats:
    """What columns in units of their errors say for sure: orthogonal, and as long."""
    U, S, _ = scipy.linalg.svd(told, full_matrices=False)
    sure: Floats = (U * S)[:, S > SHOWS]
    return sure


def _flat(Q: Floats, rng: np.random.Generator) -> Floats:
    """Directions (k, d) that span what Q (d, k) does, mixed so that none sticks out."""
    signs = rng.choice([-1.0, 1.0], size=Q.shape[1])
    mixed: Floats = scipy.fft.dct(signs[:, None] * Q.T, axis=0, norm="ortho")
    return mixed
