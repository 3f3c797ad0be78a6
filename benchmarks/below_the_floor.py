"""What one instance teaches the next saves most questions, and is never believed.

d + 2 questions are the least that an instance costs by itself. With memory, from cold,
everything counted, in 64 bits:

- networks of the paper: at most 270 questions an image of Fashion-MNIST and 300 of
  MNIST, or 55 more than the directions that the weights of these images span;
- its trees: at most 20, and the price of a design without memory for each leaf
  visited. (The aim is 0.6 of that price.)

As many rows are certified as without memory, and all are within their bound. Beside it
stand tables, where few features leave little to save: trees cost at most 0.85 of what
they do without memory, and networks of 16 units no more than without. (The aim is
half.) Where answers have 32 bits, at least 40 % is saved and the bounds are at most 3
times as wide. The time outside the model is at most twice what it is without memory.

In full 1,000 images of each data set, with models that are trained if they were not
yet: about a quarter of an hour. --quick takes 200 images of one data set and small
models, and holds only what does not need more: about two minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from _cost import explained
from _harness import Claim, Options, Table, run
from _trained import models, outside
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import facetwise as fw
from facetwise import datasets
from facetwise.models import LogisticModelTree, openbox

Array = NDArray[np.float64]

NETWORK = {"plnn, fashion-mnist": 270, "plnn, mnist": 300}
BEYOND_THE_SPAN = 55
"""Questions an image of a network."""

KNOWN_LEAF, NEW_LEAF = 20, 1.0
"""Questions an image of a tree, and for each new leaf, in prices of a design."""

SPARED_BY_TREES, SPARED_BY_NETWORKS = 0.85, 1.0
"""Share of the questions without memory that tables cost."""

SINGLE, WIDER = 0.6, 3.0
"""Share of the questions that 32 bits cost, and how much wider bounds may be."""

CHANCE = 0.005
"""Difference of two shares of certified rows that chance explains."""

SLOWER = 2.0
"""Times the time outside the model without memory."""

TABLES = ("hmda", "credit", "churn")
ROWS = 500


@dataclass(frozen=True)
class Priced:
    """An explanation, and the processor time outside the model, in ms a row."""

    explanation: fw.Explanation
    outside: float

    @property
    def mean(self) -> float:
        """Questions a row."""
        return float(self.explanation.queries.mean())

    @property
    def width(self) -> float:
        """The usual bound, as a share of the weights' norm."""
        e = self.explanation
        size = np.linalg.norm(np.array(e.meta["scale"]) * e.values, axis=1)
        return float(np.nanmedian(e.scaled_bound / size))


def explain(service: Any, X: Array, seed: int, memory: bool) -> Priced:
    """Explain X, with memory or without."""
    told = explained(service, X, response="probabilities", memory=memory, seed=seed)
    return Priced(told.explanation, 1e3 * told.outside / len(X))


def spanned(box: Any, X: Array) -> int:
    """Directions that the weights at X span, between all pairs of classes."""
    W = box(X).W
    W = (W - W.mean(axis=1, keepdims=True)).reshape(-1, X.shape[1])
    return int(np.linalg.matrix_rank(W, rtol=1e-6))


def on_images(options: Options) -> Iterator[Claim]:
    """Count and time the paper's models."""
    table = Table(
        model=20, images=6, questions=9, without=8, spanned=7, leaves=6, known=6,
        certified=9, outside=7, ms_outside=10, ms_without=10,
    )  # fmt: skip
    n, few = (200, 100) if options.quick else (1000, 200)
    for name, model, test in models(options):
        rng = np.random.default_rng(options.seed)
        X, box = test.X[rng.permutation(len(test.X))[:n]], openbox(model)
        told = explain(model.predict_proba, X, options.seed, memory=True)
        bare = explain(model.predict_proba, X[:few], options.seed, memory=False)
        beyond = outside(box, X, told.explanation)
        leaves, k = len(set(box.regions(X))), spanned(box, X)
        known = int((told.explanation.designs == 0).sum())
        sure = float(told.explanation.certified[:few].mean())
        least = float(bare.explanation.certified.mean()) - CHANCE
        table.row(
            name, n, told.mean, bare.mean, k, leaves, known, f"{sure:.2%}",
            int(beyond.sum()), told.outside, bare.outside,
        )  # fmt: skip
        yield Claim(f"outside the bound, {name}", int(beyond.sum()), 0)
        yield Claim(f"certified, {name}", sure, least, at_least=True)
        if options.quick:
            yield Claim(f"share of the questions, {name}", told.mean / bare.mean, 0.6)
            continue
        yield Claim(f"slower, {name}", told.outside / bare.outside, SLOWER)
        limit = max(NETWORK.get(name, 0), k + BEYOND_THE_SPAN)
        if name.startswith("lmt"):
            limit = KNOWN_LEAF + NEW_LEAF * leaves * bare.mean / n
        yield Claim(f"questions, {name}", told.mean, limit)


def in_single(options: Options) -> Iterator[Claim]:
    """Count where answers have 32 bits."""
    table = Table(
        in_32_bits=20, images=6, questions=9, without=8, outside=7, bound=9,
        bound_without=13,
    )  # fmt: skip
    n = 120 if options.quick else 400
    for name, model, test in models(options):
        rng = np.random.default_rng(options.seed)
        X = test.X[rng.permutation(len(test.X))[:n]]

        def service(X: Array, model: Any = model) -> Array:
            single: Array = model.predict_proba(X).astype(np.float32)
            return single

        told = explain(service, X, options.seed, memory=True)
        bare = explain(service, X, options.seed, memory=False)
        beyond = int(outside(openbox(model), X, told.explanation).sum())
        table.row(name, n, told.mean, bare.mean, beyond, told.width, bare.width)
        yield Claim(f"outside the bound, 32 bits, {name}", beyond, 0)
        yield Claim(f"wider, 32 bits, {name}", told.width / bare.width, WIDER)
        if not options.quick:
            share = told.mean / bare.mean
            yield Claim(f"share of the questions, 32 bits, {name}", share, SINGLE)


def on_tables(options: Options) -> Iterator[Claim]:
    """Count on tables, networks and trees."""
    table = Table(
        table=20, rows=6, features=8, questions=9, without=8, regions=7, share=6
    )
    for name in TABLES[: 1 if options.quick else None]:
        data = getattr(datasets, name)()
        X = data.test.X[:ROWS]
        network = make_pipeline(
            StandardScaler(),
            MLPClassifier((16,), max_iter=300, tol=1e-3, random_state=options.seed),
        ).fit(data.train.X, data.train.y)
        tree = LogisticModelTree().fit(data.train.X, data.train.y)
        seen = network[:-1].transform(X)
        of_network = openbox(network[-1]).regions(seen)
        for kind, model, regions, limit in [
            ("network", network, of_network, SPARED_BY_NETWORKS),
            ("tree", tree, openbox(tree).regions(X), SPARED_BY_TREES),
        ]:
            told = explain(model.predict_proba, X, options.seed, memory=True)
            bare = explain(model.predict_proba, X, options.seed, memory=False)
            share = told.mean / bare.mean
            table.row(
                f"{kind}, {name}", len(X), X.shape[1], told.mean, bare.mean,
                len(set(regions)), share,
            )  # fmt: skip
            yield Claim(f"share of the questions, {kind}, {name}", share, limit)


def benchmark(options: Options) -> Iterator[Claim]:
    """All of it."""
    yield from on_images(options)
    yield from in_single(options)
    if options.only is None:
        yield from on_tables(options)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
