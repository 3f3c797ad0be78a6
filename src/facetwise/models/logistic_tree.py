"""A tree with a linear classifier at each leaf, as plain arrays.

Notation
--------
t    nodes, the root first
l    leaves, in the order in which they are met from left to right
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats, Ints

NONE = -1
"""Stands for no feature, no child and no leaf."""


@dataclass(frozen=True, slots=True)
class LogisticTree:
    """What training leaves behind, in the units of the input; no row of the data.

    A row goes left where `x[feature] <= threshold`.
    """

    feature: Ints  # (t,), NONE at a leaf
    threshold: Floats  # (t,)
    left: Ints  # (t,)
    right: Ints  # (t,)
    leaf: Ints  # (t,), NONE at an inner node
    W: Floats  # (l, C, d)
    b: Floats  # (l, C)
    weight: Floats  # (l,) of the rows that the leaf was trained on
    accuracy: Floats  # (l,) on these

    def leaf_of(self, X: Floats) -> Ints:
        """The leaf (n,) that each row lands in."""
        node = np.zeros(len(X), dtype=np.intp)
        moving = np.arange(len(X))
        while moving.size:
            moving = moving[self.leaf[node[moving]] == NONE]
            at = node[moving]
            goes_left = X[moving, self.feature[at]] <= self.threshold[at]
            node[moving] = np.where(goes_left, self.left[at], self.right[at])
        leaves: Ints = self.leaf[node]
        return leaves

    def logits(self, X: Floats) -> Floats:
        """The logits (n, C) of rows X (n, d)."""
        Z = np.empty((len(X), self.b.shape[1]))
        for leaf, rows in groups(self.leaf_of(X)):
            Z[rows] = X[rows] @ self.W[leaf].T + self.b[leaf]
        return Z


def groups(labels: Ints) -> Iterator[tuple[int, Ints]]:
    """Each label that occurs, with the rows that have it."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=NONE))
    for rows in np.split(order, starts[1:]):
        if rows.size:
            yield int(labels[rows[0]]), rows
