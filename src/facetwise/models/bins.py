"""Numeric features in at most 256 bins each, so that splits are found by counting.

A feature with no more than 256 distinct values, such as a grey level, has a bin for
each of them, and a split between bins is a split between values. Of a finer feature,
each bin holds about one 256th of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from facetwise.core.messages import Floats, Ints

MOST = 256
"""Bins a feature can have, so that a bin fits in a byte."""

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Bins:
    """The bin of every value, and what separates bins.

    A value is in bin k or a lower one if and only if it is at most `thresholds[j][k]`.
    """

    codes: Codes  # (n, d), a feature's codes side by side in memory
    thresholds: tuple[Floats, ...]  # of each feature, one fewer than it has bins


def into_bins(X: Floats, weights: Floats) -> Bins:
    """Bins of the features of X (n, d), with the weights of the rows (n,)."""
    codes = np.empty(X.shape, dtype=np.uint8, order="F")
    thresholds = []
    for j, x in enumerate(X.T):
        codes[:, j], between = _bin_feature(x, weights)
        thresholds.append(between)
    return Bins(codes, tuple(thresholds))


def _bin_feature(x: Floats, weights: Floats) -> tuple[Ints, Floats]:
    values, value = np.unique(x, return_inverse=True)
    if len(values) <= MOST:
        return value, _midpoints(values[:-1], values[1:])
    bin_of = _equal_shares(np.bincount(value, weights).astype(np.float64))
    ends = np.flatnonzero(np.diff(bin_of))
    return bin_of[value], _midpoints(values[ends], values[ends + 1])


def _equal_shares(weights: Floats) -> Ints:
    """The bin of each of the values, which come in order with the weights of each.

    Rows that repeat count as often as their weight, so that both give the same bins.
    """
    before = np.cumsum(weights) - weights / 2.0
    share = np.minimum(before / weights.sum() * MOST, MOST - 1).astype(np.intp)
    _, bins = np.unique(share, return_inverse=True)
    return bins


def _midpoints(low: Floats, high: Floats) -> Floats:
    """Thresholds t with low <= t < high, halfway where there is a number between."""
    middle = np.maximum(low / 2.0 + high / 2.0, low)
    return np.where(middle < high, middle, low)
