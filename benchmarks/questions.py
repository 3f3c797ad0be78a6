"""An instance costs d + 2 questions, the least there is, and at most 24 more.

The mean over instances, everything counted: the search for the radius, designs that
failed, check points. Nothing is remembered from one instance to the next. Algorithm 1
of the paper is shown beside it, on the first few of the same instances.

Where features have limits and many instances sit on them, as dark pixels do, it is at
most 1.15 times d + 26, and as many instances are certified as without limits.

In full about 6 minutes on 2 cores; --quick about one.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from _harness import Claim, Options, Table, run, zoo
from _paper_network import networks
from numpy.typing import NDArray

import facetwise as fw

Array = NDArray[np.float64]
Problem = tuple[str, zoo.Model, Array, int]

MARGIN = 24
"""Questions beyond d + 2 that an instance may cost in the mean."""

LIMITED = 1.15
"""Times d + 26 that an instance inside limits may cost."""

ALIKE = 0.005
"""Difference of two shares of certified instances that chance explains."""

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
    for name, network, X in networks(rng, 64 if options.quick else 400):
        yield f"relu, d = 784, {name}", network, X, 0 if options.quick else 1
        if options.quick:
            break


def explain(model: zoo.Model, X: Array, seed: int, **settings: Any) -> fw.Explanation:
    """An explanation whose questions together are what the model heard."""
    service = zoo.Counting(zoo.probabilities(model))
    explainer = fw.Explainer(
        service,
        response="probabilities",
        memory=False,
        seed=seed,
        progress=False,
        **settings,
    )
    told = explainer(X)
    if told.queries.sum() != service.rows:
        raise SystemExit(f"{told.queries.sum()} questions told, {service.rows} asked.")
    return told


def limited(options: Options) -> Iterator[tuple[str, zoo.Model, Array]]:
    """Models, and instances in [0, 1] of which many features are 0 or 1."""
    networks_each, n = (3, 40) if options.quick else (10, 100)
    for d, (layers, width) in SHAPES.items():
        for k in range(networks_each):
            rng = np.random.default_rng([options.seed, 1, d, k])
            model = zoo.random_network(rng, d, CLASSES[d], layers, width)
            yield f"d = {d}", model, np.clip(rng.normal(0.5, 0.5, (n, d)), 0.0, 1.0)
    rng = np.random.default_rng([options.seed, 784])
    trained = networks(rng, 32 if options.quick else 200)
    for name, network, X in itertools.islice(trained, 2 if options.quick else None):
        images = X if name != "random" else np.clip(X, 0.0, 1.0)
        yield f"d = 784, {name}", network, images


def inside_limits(options: Options) -> Iterator[Claim]:
    """Count inside [0, 1], and compare with no limits at all."""
    unit = fw.Domain(lower=0.0, upper=1.0, scale=1.0)
    told: dict[str, list[tuple[fw.Explanation, fw.Explanation]]] = {}
    for k, (name, model, X) in enumerate(limited(options)):
        inside = explain(model, X, options.seed + k, domain=unit)
        without = explain(model, X, options.seed + k, domain=fw.Domain(scale=1.0))
        told.setdefault(name, []).append((inside, without))
    table = Table(
        inside_0_and_1=22, instances=9, questions=10, beyond=8, certified=10,
        without_limits=15,
    )  # fmt: skip
    for name, pairs in told.items():
        queries = np.concatenate([inside.queries for inside, _ in pairs])
        certified, freely = (
            float(np.mean(np.concatenate([pair[i].certified for pair in pairs])))
            for i in (0, 1)
        )
        d = pairs[0][0].data.shape[1]
        mean = float(queries.mean())
        beyond, shares = mean - (d + 2), (f"{certified:.2%}", f"{freely:.2%}")
        table.row(name, len(queries), mean, beyond, *shares)
        yield Claim(f"questions inside limits, {name}", mean, LIMITED * (d + 26))
        what = f"certified inside limits, {name}"
        yield Claim(what, certified, freely - ALIKE, at_least=True)


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
        costs.setdefault(name, []).append(explain(model, X, seed).queries)
        if few:
            asked = explain(model, X[:few], seed, method="algorithm1").queries
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
    if options.only is None:
        yield from inside_limits(options)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
