"""Splits that make no difference, taken out of a grown tree.

Where neither side of a split was refined, both leaves hold the classifier of the node
above, bit for bit, and one leaf says as much. C4.5 and Landwehr et al. prune by
estimates of error; this changes no answer.
"""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Ints
from facetwise.models.logistic_tree import NONE, LogisticTree


def without_idle_splits(tree: LogisticTree) -> LogisticTree:
    """The same function of rows, with no two leaves below one test alike."""
    leaf, weight, accuracy = tree.leaf.copy(), tree.weight.copy(), tree.accuracy.copy()
    for node in reversed(range(len(leaf))):  # children come after their parent
        if leaf[node] != NONE:
            continue
        one, other = leaf[tree.left[node]], leaf[tree.right[node]]
        if NONE in (one, other) or not _are_alike(tree, one, other):
            continue
        both = weight[[one, other]]
        accuracy[one] = both @ accuracy[[one, other]] / both.sum()
        weight[one] = both.sum()
        leaf[node] = one
    kept = _reachable(tree, leaf)
    ends = leaf[kept] != NONE
    leaves = leaf[kept][ends]
    number = np.full(len(leaf), NONE)
    number[kept] = np.arange(len(kept))
    return LogisticTree(
        np.where(ends, NONE, tree.feature[kept]),
        np.where(ends, 0.0, tree.threshold[kept]),
        np.where(ends, NONE, number[tree.left[kept]]),
        np.where(ends, NONE, number[tree.right[kept]]),
        np.where(ends, np.cumsum(ends) - 1, NONE),
        tree.W[leaves],
        tree.b[leaves],
        weight[leaves],
        accuracy[leaves],
    )


def _are_alike(tree: LogisticTree, one: int, other: int) -> bool:
    same = np.array_equal(tree.W[one], tree.W[other])
    return same and np.array_equal(tree.b[one], tree.b[other])


def _reachable(tree: LogisticTree, leaf: Ints) -> Ints:
    """Nodes from the root down to `leaf`, parents first and left before right."""
    kept, nodes = [], [0]
    while nodes:
        node = nodes.pop()
        kept.append(node)
        if leaf[node] == NONE:
            nodes += [int(tree.right[node]), int(tree.left[node])]
    return np.array(kept, dtype=np.intp)
