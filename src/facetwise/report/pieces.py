"""Which rows share their weights: as far as bounds tell, one piece of the model."""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.explanation import Explanation

NO_PIECE = -1


def pieces(explanation: Explanation) -> Ints:
    """(n,) a number for each certified row, equal where bounds allow equal weights.

    Rows are compared with the first row of each piece, so that no chain of neighbours
    joins what lies apart.
    """
    D, bound, compared = _known(explanation)
    piece = np.full(len(explanation), NO_PIECE)
    firsts: list[int] = []
    key, slack = _keys(D, bound)
    for i in map(int, np.flatnonzero(explanation.certified)):
        near = np.abs(key[firsts] - key[i]) <= slack[firsts] + slack[i]
        same = (
            k
            for k in np.flatnonzero(near)
            if compared[firsts[k]] == compared[i] and _meet(D, bound, firsts[k], i)
        )
        piece[i] = next(same, len(firsts))
        if piece[i] == len(firsts):
            firsts.append(i)
    return piece


def _known(explanation: Explanation) -> tuple[Floats, Floats, list[tuple[int, int]]]:
    """Weights and bounds (n, d + 1) with the intercept's, and what they compare."""
    D = np.column_stack([explanation.values, explanation.base_values])
    bound = np.column_stack([explanation.error_bound, explanation.base_bound])
    classes = zip(explanation.target, explanation.contrast, strict=True)
    return D, bound, [(int(t), int(c)) for t, c in classes]


def _keys(D: Floats, bound: Floats) -> tuple[Floats, Floats]:
    """One number (n,) a row, and how far it may be off: most pairs differ in it."""
    # Any fixed mixture does; this one treats no two features alike.
    mixture = np.cos(np.arange(D.shape[1]) + 1.0)
    return np.nan_to_num(D) @ mixture, np.nan_to_num(bound) @ np.abs(mixture)


def _meet(D: Floats, bound: Floats, a: int, b: int) -> bool:
    """Whether two rows may have the same weights, and lack the same ones."""
    apart = np.abs(D[a] - D[b]) > bound[a] + bound[b]
    lacking = np.isnan(D[a]) != np.isnan(D[b])
    return not (apart | lacking).any()
