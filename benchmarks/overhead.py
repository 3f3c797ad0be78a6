"""Outside the model, facetwise takes a hundredth of the time of Algorithm 1.

At d = 784 with 10 classes, all side by side on the same instances: at least 100 times
less than Algorithm 1 with a solve for each pair of classes, as its text says; at least
30 times less than Algorithm 1 with one factorisation for all pairs. Beside it stands
the time that the model itself takes for the same questions, the paper's network in
64-bit NumPy. The aim is to take no longer than that; what holds is 1.75 times as long.

In full about 10 minutes on 2 cores; --quick about 90 seconds (two instances for
Algorithm 1). Only ratios count, within this one run.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator

import numpy as np
from _cost import Told, explained
from _harness import Claim, Options, Table, run, zoo
from _paper_network import networks
from numpy.typing import NDArray

from facetwise.core.algorithm1 import algorithm1, solve_all_pairs
from facetwise.run import METHODS

Array = NDArray[np.float64]

STRETCH = 10
"""Instances that are timed together. Of many stretches the one in the middle counts:
now and then something else runs on the machine."""

BESIDE_THE_MODEL = 1.75
"""Times the model's own time. Measured from 1.05 to 1.4: the model takes 6 to 9 ms for
810 questions on one thread, and the engine 8 to 9 for its 784 x 784 numbers."""

SHARED = "algorithm1, one factorisation"
METHODS[SHARED] = functools.partial(algorithm1, solver=solve_all_pairs)
"""The text solves pair by pair; this is the most that sparing it can gain."""


def cost(service: zoo.Service, X: Array, method: str, seed: int) -> Told:
    """Explain X by a method, without memory, and see where the time goes."""
    settings = {"response": "probabilities", "method": method, "memory": False}
    return explained(service, X, seed=seed, **settings)


def row(table: Table, method: str, told: Told) -> None:
    """Show what one instance costs."""
    queries = told.explanation.queries
    n = len(queries)
    table.row(method, n, told.outside / n, told.inside / n, float(queries.mean()))


def benchmark(options: Options) -> Iterator[Claim]:
    """Time all methods on the same instances, the cheapest one on more of them too."""
    rng = np.random.default_rng(options.seed)
    few, many = (2, 70) if options.quick else (10, 200)
    _, network, X = next(networks(rng, many))
    service = zoo.probabilities(network)
    cost(service, X[:1], "facetwise", options.seed)  # the first run fills caches
    table = Table(method=34, instances=9, outside_s=10, inside_s=10, questions=10)
    measured: dict[str, Told] = {}
    for method in ("facetwise", SHARED, "algorithm1"):
        spent = cost(service, X[:few], method, options.seed)
        row(table, method, spent)
        measured[method] = spent
    stretches = [
        cost(service, X[i : i + STRETCH], "facetwise", options.seed + i)
        for i in range(0, many, STRETCH)
    ]
    for spent in stretches:
        row(table, "facetwise", spent)
    for what, method, limit in [
        ("times less than Algorithm 1, pair by pair", "algorithm1", 100),
        ("times less than it with one factorisation", SHARED, 30),
    ]:
        ratio = measured[method].outside / measured["facetwise"].outside
        yield Claim(what, ratio, limit, at_least=True)
    ratios = [spent.outside / spent.inside for spent in stretches]
    ratio = float(np.median(ratios))
    yield Claim("outside ÷ inside the model", ratio, BESIDE_THE_MODEL)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
