"""An instance costs d + 2 questions, the least there is, and at most 24 more.

The mean over instances, everything counted: the search for the radius, designs that
failed, check points. Nothing is remembered from one instance to the next. Algorithm 1
of the paper is shown beside it, on the first few of the same instances.

In full about 4 minutes on 2 cores; --quick about one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from _harness import Claim, Options, Table, run, zoo
from _paper_network import networks
from numpy.typing import NDArray

import facetwise as fw

Array = NDArray[np.float64]
Problem = tuple[str, zoo.Model, Array, int]

MARGIN = 24
"""Questions beyond d + 2 that an instance may cost in the mean."""

SHAPES = {1: (2, 16), 4: (2, 32), 13: (3, 32), 30: (3, 64), 100: (3, 128)}
"""d -> hidden layers and width."""

CLASSES = {1: 2, 4: 3, 13: 3, 30: 5, 100: 10}


def problems(options: Options) -> Iterator[Problem]:
    """Name, model, instances, and the number of them that Algorithm 1 explains."""
    networks_each, n = (3, 40) if options.quick else (10, 100)
    for d, (layers, width) in SHAPES.items():
        for k in range(networks_each):
            rng = np.random.default_rng([options.seed, d, k])
            model = zoo.random_network(rng, d, CLASSES[d], layers, width)
            yield f"relu, d = {d}", model, rng.standard_normal((n, d)), 2
    rng = np.random.default_rng([options.seed, 30])
    tree = zoo.random_leaf_models(rng, 30, 5, 6)
    yield "tree of linear models, d = 30", tree, rng.standard_normal((n, 30)), 2
    rng = np.random.default_rng([options.seed, 784])
    for name, network, X in networks(rng, 64 if options.quick else 200):
        yield f"relu, d = 784, {name}", network, X, 0 if options.quick else 1
        if options.quick:
            break


def cost(model: zoo.Model, X: Array, seed: int, method: str) -> Array:
    """Questions that each instance cost, which together are what the model heard."""
    service = zoo.Counting(zoo.probabilities(model))
    explainer = fw.Explainer(
        service, response="probabilities", seed=seed, method=method, progress=False
    )
    queries = explainer(X).queries
    if queries.sum() != service.rows:
        raise SystemExit(f"{queries.sum()} questions told, {service.rows} asked.")
    return queries


def benchmark(options: Options) -> Iterator[Claim]:
    """Count, kind by kind."""
    costs: dict[str, list[Array]] = {}
    published: dict[str, list[Array]] = {}
    d_of: dict[str, int] = {}
    for k, (name, model, X, few) in enumerate(problems(options)):
        if options.only not in (None, name):
            continue
        d_of[name] = model.d
        seed = options.seed + k
        costs.setdefault(name, []).append(cost(model, X, seed, "facetwise"))
        if few:
            asked = cost(model, X[:few], seed, "algorithm1")
            published.setdefault(name, []).append(asked)
    table = Table(
        model=30, instances=9, questions=10, beyond=8, p90=6, most=6, algorithm_1=11
    )
    for name, parts in costs.items():
        told = np.concatenate(parts)
        beyond = told - (d_of[name] + 2)
        table.row(
            name,
            len(told),
            float(told.mean()),
            float(beyond.mean()),
            float(np.percentile(beyond, 90)),
            int(beyond.max()),
            float(np.mean(published[name])) if name in published else "-",
        )
        yield Claim(f"beyond d + 2, {name}", float(beyond.mean()), MARGIN)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
