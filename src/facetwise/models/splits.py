"""The split of a node as C4.5 chooses it, from counts of classes in bins.

The steps, after Quinlan, C4.5 (1993), with the treatment of numeric features that he
published in 1996 (Improved use of continuous attributes in C4.5, JAIR 4):

1. of each feature, the threshold with the largest information gain is taken, where
   both sides hold enough rows;
2. the gain pays for the choice among thresholds: log2(thresholds)/n bits are taken off;
3. among the features whose gain is at least the average of all that gain something,
   the one with the largest gain ratio is chosen: gain over the split's own information.

Differences from C4.5: a threshold lies halfway between two values and not on the lower
one, features are binned (see `bins`), there are no missing values, and all features
are numeric.

Notation
--------
N    weight of the rows of each class in each bin of a feature   (d, bins, C)
n    weight of all rows of the node
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats, Ints, Mask
from facetwise.models.bins import Codes

LEAST_SHARE, FEWEST, ENOUGH = 0.1, 2.0, 25.0
"""Each side needs a tenth of the rows that a class has on average, but no fewer than 2
and no more than 25: C4.5's own rule."""

NOTHING = 1e-9
"""Bits of gain that are rounding."""

TOLERANCE = 1e-3
"""Bits that a gain may be below the average and still compete, as in C4.5."""

MOST_COUNTS = 2**22
"""Numbers in a table of counts; features are taken in blocks that stay below."""

MOST_ENTRIES = 2**21
"""Entries of the node's rows that are counted at once."""


@dataclass(frozen=True, slots=True)
class Split:
    """Rows whose bin of `feature` is at most `bin` go to the left."""

    feature: int
    bin: int


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The best threshold of each feature (d,): its bin, gain, and own information."""

    bin: Ints
    gain: Floats
    information: Floats


def best_split(codes: Codes, y: Ints, weights: Floats, classes: int) -> Split | None:
    """C4.5's split of the rows of a node; None where no split gains anything."""
    best = _thresholds(codes, y, weights, classes)
    competes = best.gain > NOTHING
    if not competes.any():
        return None
    average = best.gain[competes].mean()
    competes &= best.gain >= average - TOLERANCE
    ratio = np.zeros(len(competes))
    np.divide(best.gain, best.information, out=ratio, where=competes)
    feature = int(np.argmax(ratio))
    return Split(feature, int(best.bin[feature]))


def _thresholds(codes: Codes, y: Ints, weights: Floats, classes: int) -> Thresholds:
    n, d = codes.shape
    bins = max(2, int(codes.max()) + 1)  # so that there is a threshold to refuse
    block = max(1, min(MOST_COUNTS // (bins * classes), MOST_ENTRIES // n))
    blocks = [
        _best_thresholds(_count(codes[:, j : j + block], bins, y, weights, classes))
        for j in range(0, d, block)
    ]
    return Thresholds(
        np.concatenate([b.bin for b in blocks]),
        np.concatenate([b.gain for b in blocks]),
        np.concatenate([b.information for b in blocks]),
    )


def _count(codes: Codes, bins: int, y: Ints, weights: Floats, classes: int) -> Floats:
    """N of some features."""
    d = codes.shape[1]
    cell = codes.T.astype(np.intp)  # (d, n), as the codes lie in memory
    cell += bins * np.arange(d)[:, None]
    cell *= classes
    cell += y
    size = d * bins * classes
    counts = np.bincount(cell.ravel(), np.tile(weights, d), minlength=size)
    return counts.astype(np.float64, copy=False).reshape(d, bins, classes)


def _best_thresholds(N: Floats) -> Thresholds:
    """Steps 1 and 2, for a block of features."""
    total = N[0].sum(axis=0)
    n = total.sum()
    left = N.cumsum(axis=1)[:, :-1]
    n_left = left.sum(axis=2)
    allowed = _allowed(N, n_left, n)
    after = _entropy(left[allowed]) + _entropy(total - left[allowed])
    gain: Floats = np.full(allowed.shape, -np.inf)
    gain[allowed] = (_entropy(total) - after) / n
    row, best = np.arange(len(N)), gain.argmax(axis=1)
    cost = np.log2(np.maximum(allowed.sum(axis=1), 1)) / n
    sides = n_left[row, best]
    information = _entropy(np.stack([sides, n - sides], axis=-1)) / n
    return Thresholds(best, gain[row, best] - cost, information)


def _allowed(N: Floats, n_left: Floats, n: float) -> Mask:
    """Thresholds (d, bins - 1) with a value just below, and enough rows on each side.

    Those above a bin without rows repeat the one before.
    """
    enough = np.clip(LEAST_SHARE * n / N.shape[2], FEWEST, ENOUGH)
    occupied = N.sum(axis=2)[:, :-1] > 0.0
    allowed: Mask = occupied & (n_left >= enough) & (n - n_left >= enough)
    return allowed


def _entropy(N: Floats) -> Floats:
    """Entropy in bits of the counts on the last axis, times their sum."""
    entropy: Floats = _times_log(N.sum(axis=-1)) - _times_log(N).sum(axis=-1)
    return entropy


def _times_log(N: Floats) -> Floats:
    """N log2 N, and 0 for nothing; differences of sums may miss 0 by rounding."""
    logs = np.log2(N, out=np.zeros_like(N), where=N > 0.0)
    logs *= N
    return logs
