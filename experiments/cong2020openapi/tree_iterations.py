"""Why Algorithm 1 needs other numbers of iterations on our trees than in Table 2.

    python experiments/cong2020openapi/tree_iterations.py

The region of a leaf is a box: an instance's hypercube fits into it when no split on the
way to its leaf is nearer than half an edge. So the tree alone tells how often the edge
1 has to be halved, and what it would be if only the first splits of a way were there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from facetwise.models.logistic_tree import NONE, LogisticTree
from facetwise.reproduce.targets import DATA_SETS, target
from facetwise.reproduce.work import Request

Array = NDArray[np.float64]

DEPTHS = (1, 2, 3, 4, 6, 8, 12, None)
"""Splits from the root that are looked at; None is all of them."""

INSTANCES = 1000


def distances(tree: LogisticTree, x: Array) -> Iterator[float]:
    """How far x is from each split on the way to its leaf, the root's first."""
    node = 0
    while tree.leaf[node] == NONE:
        off = x[tree.feature[node]] - tree.threshold[node]
        yield float(abs(off))
        node = tree.left[node] if off <= 0.0 else tree.right[node]


def iterations(nearest: float) -> int:
    """The first k with 2^-k below the distance: half the edge of the k-th hypercube."""
    return max(1, int(np.floor(-np.log2(nearest))) + 1)


def main() -> None:
    """Print the mean number of iterations by the number of splits looked at."""
    print("| data set | leaves | mean way |", *(f"{d or 'all'} |" for d in DEPTHS))
    for name in DATA_SETS:
        found = target(name, "lmt")
        tree, X = found.model.tree_, found.data.test.X
        drawn = X[list(Request(instances=INSTANCES).drawn)]
        ways = [list(distances(tree, x)) for x in drawn]
        means = [np.mean([iterations(min(w[:d])) for w in ways]) for d in DEPTHS]
        length = np.mean([len(way) for way in ways])
        row = " | ".join(f"{mean:.1f}" for mean in means)
        print(f"| {name} | {len(tree.W)} | {length:.1f} | {row} |")


if __name__ == "__main__":
    main()
