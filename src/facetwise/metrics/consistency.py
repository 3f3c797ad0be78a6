"""Are similar instances explained alike? Nearest neighbours, cosine similarity."""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError


def nearest_neighbours(rows: Ints, pool: Floats) -> Ints:
    """The nearest other row of the pool (N, d), by Euclid, to each of some rows (n,).

    Of rows that are equally near the first is taken. A row that is there twice has its
    double for a neighbour.
    """
    if len(pool) < 2:
        raise InputError(f"A neighbour needs another row; the pool has {len(pool)}.")
    squares = np.einsum("nd,nd->n", pool, pool)
    distances = squares - 2.0 * pool[rows] @ pool.T  # but for each row's own square
    distances[np.arange(len(rows)), rows] = np.inf
    nearest: Ints = distances.argmin(axis=1)
    return nearest


def cosine_similarity(a: Floats, b: Floats) -> Floats:
    """Cosines (n,) of the angles between rows of a and of b (n, d).

    A row that is all zeros points nowhere: NaN.
    """
    if a.shape != b.shape or a.ndim != 2:
        raise InputError(
            f"cosine_similarity needs rows that pair up; got {a.shape} and {b.shape}."
        )
    # Lengths are taken out one by one, so that none is squared away to zero.
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = (v / np.abs(v).max(axis=1, keepdims=True) for v in (a, b))
        lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        cosines: Floats = np.einsum("nd,nd->n", a, b) / lengths
    return np.clip(cosines, -1.0, 1.0)
