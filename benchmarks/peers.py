"""facetwise beside its peers: exact, repeatable, and for fewer questions than most.

One network, the same instances, one run. Of each method: questions and seconds for an
instance, L1Dist and cosine to the true decision features, and whether a second run with
another seed gives the same answer to three digits. facetwise has the least L1Dist, a
cosine of 1 and the same answer again, and asks fewer questions than any other method
whose cosine is above 0.99.

LIME is that of the package `lime` for tables, its neighbourhood as wide as the data;
KernelSHAP is that of `shap`, and a second one that of `captum`. They explain the
log-odds of the class against the others, as facetwise does, so that weights can be
compared: contributions of Shapley's kind are divided by how far each feature is from
the background, which makes them slopes. Settings are the packages' own defaults.

In full 5 images and the paper's network on each data set, some ten minutes on 2 cores;
--quick explains 2 rows by a small random network, in under a minute.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from _harness import Claim, Options, Table, run, zoo
from _paper_network import networks
from numpy.typing import NDArray

import facetwise as fw
from facetwise.baselines import Algorithm1, Zoo
from facetwise.extras import extra
from facetwise.metrics import cosine_similarity, l1_distance

Array = NDArray[np.float64]

SAME = 1e-3
"""Relative difference of two answers that are called the same."""

NEAR = 0.99
"""Cosine to the truth above which a method is said to have found the direction."""

LIME_SAMPLES = 5000
"""The default of the package."""

SMALLEST_STEP = 1e-6
"""A feature this near to the background has no slope by contributions: it gets 0."""

FINITE = 1e-4
"""Step of the finite differences."""


@dataclass(frozen=True)
class Task:
    """One instance x (d,), its class, and data (n, d) as a background; what is asked.

    `log_odds` (n,) are those of the class against the mean of the others, the quantity
    whose slope is D_c.
    """

    service: zoo.Counting
    x: Array
    target: int
    data: Array
    seed: int

    def log_odds(self, X: Array) -> Array:
        """Asks the service, and reads one number a row."""
        y = np.log(self.service(np.atleast_2d(np.asarray(X, dtype=np.float64))))
        C = y.shape[1]
        own = y[:, self.target]
        return (C * own - y.sum(axis=1)) / (C - 1)


def by_facetwise(task: Task) -> Array:
    """Exact, with a certificate."""
    explainer = fw.Explainer(
        task.service,
        target=task.target,
        response="probabilities",
        seed=task.seed,
        progress=False,
    )
    return explainer(task.x).values[0]


def by_algorithm1(task: Task) -> Array:
    """The paper's, one factorisation for all pairs."""
    method = Algorithm1(each_pair=False, seed=task.seed)
    return method(task.service, task.x[None], task.target).values[0]


def by_differences(task: Task) -> Array:
    """Two questions for each feature."""
    return Zoo(FINITE)(task.service, task.x[None], task.target).values[0]


def by_lime(task: Task) -> Array:
    """Coefficients of LIME for tables, in the units of the data."""
    tabular = extra("paper", "lime.lime_tabular")
    d = len(task.x)
    explainer = tabular.LimeTabularExplainer(
        task.data,
        mode="regression",
        discretize_continuous=False,
        feature_selection="none",
        random_state=task.seed,
    )
    found = explainer.explain_instance(
        task.x, task.log_odds, num_features=d, num_samples=LIME_SAMPLES
    )
    values = np.zeros(d)
    # LIME files the one output of a regression under class 1.
    for feature, weight in found.local_exp[1]:
        values[feature] = weight
    return values / explainer.scaler.scale_


def by_kernel_shap(task: Task) -> Array:
    """Contributions by shap's KernelSHAP against the mean of the data, as slopes."""
    shap = extra("shap", "shap")
    background = task.data.mean(axis=0, keepdims=True)
    np.random.seed(task.seed)  # noqa: NPY002  shap draws from the global state
    explainer = shap.KernelExplainer(task.log_odds, background)
    contributions = explainer.shap_values(task.x, silent=True)
    return slopes(np.asarray(contributions), task.x - background[0])


def by_captum(task: Task) -> Array:
    """Contributions by captum's KernelSHAP against the mean of the data, as slopes."""
    captum = extra("paper", "captum.attr")
    background = task.data.mean(axis=0)
    torch.manual_seed(task.seed)
    method = captum.KernelShap(lambda X: torch.tensor(task.log_odds(X.numpy())))
    contributions = method.attribute(
        torch.tensor(task.x[None]),
        baselines=torch.tensor(background[None]),
        n_samples=2 * len(task.x) + 2048,  # as many as shap asks
        perturbations_per_eval=256,
    )
    return slopes(contributions.numpy()[0], task.x - background)


def slopes(contributions: Array, steps: Array) -> Array:
    """What a contribution is for each unit of its feature."""
    moved = np.abs(steps) > SMALLEST_STEP
    found = np.zeros(len(steps))
    found[moved] = contributions[moved] / steps[moved]
    return found


PEERS: dict[str, Callable[[Task], Array]] = {
    "facetwise": by_facetwise,
    "algorithm 1": by_algorithm1,
    "finite differences": by_differences,
    "LIME": by_lime,
    "KernelSHAP (shap)": by_kernel_shap,
    "KernelSHAP (captum)": by_captum,
}


@dataclass(frozen=True)
class Line:
    """Means over instances; `same` is the share whose second answer is the first."""

    questions: float
    seconds: float
    l1: float
    cosine: float
    same: float


def compare(
    peer: Callable[[Task], Array], model: zoo.Dense, X: Array, data: Array, seed: int
) -> Line:
    """Explain each instance twice, and hold the first answer to the truth."""
    service = zoo.Counting(zoo.probabilities(model))
    found = []
    for i, x in enumerate(X):
        target = int(model.logits(x[None])[0].argmax())
        truth = zoo.contrast(model.local(x)[0], target)
        asked, started = service.rows, time.perf_counter()
        first = peer(Task(service, x, target, data, seed + i))
        seconds, questions = time.perf_counter() - started, service.rows - asked
        second = peer(Task(service, x, target, data, seed + i + len(X)))
        same = np.linalg.norm(first - second) <= SAME * np.linalg.norm(first)
        l1 = l1_distance(first[None], truth[None])[0]
        cosine = cosine_similarity(first[None], truth[None])[0]
        found.append((questions, seconds, l1, cosine, same))
    return Line(*np.mean(found, axis=0))


def problems(options: Options) -> Iterator[tuple[str, zoo.Dense, Array, Array]]:
    """Name, network, instances, and data as a background."""
    rng = np.random.default_rng(options.seed)
    if options.quick:
        network = zoo.random_network(rng, 60, 5, 3, 64)
        X = rng.standard_normal((202, 60))
        yield "relu, d = 60", network, X[:2], X[2:]
        return
    for name, network, X in networks(rng, 205):
        yield f"relu, d = 784, {name}", network, X[:5], X[5:]


def benchmark(options: Options) -> Iterator[Claim]:
    """Compare on each network."""
    for name, network, X, data in problems(options):
        if options.only not in (None, name):
            continue
        print(f"\n{name}", end="")
        table = Table(
            method=20, questions=10, seconds=9, L1Dist=10, cosine=9, same_again=10
        )
        lines = {}
        for peer, ask in PEERS.items():
            with warnings.catch_warnings():
                # The packages warn of their own use of the libraries below them.
                warnings.simplefilter("ignore")
                lines[peer] = told = compare(ask, network, X, data, options.seed)
            row = told.questions, told.seconds, told.l1, told.cosine, told.same
            table.row(peer, *row)
        ours = lines.pop("facetwise")
        best = min(line.l1 for line in lines.values())
        directed = [line.questions for line in lines.values() if line.cosine > NEAR]
        yield Claim(f"L1Dist, {name}", ours.l1, best)
        yield Claim(f"1 - cosine, {name}", 1.0 - ours.cosine, 1e-9)
        yield Claim(f"same again, {name}", ours.same, 1.0, at_least=True)
        yield Claim(f"questions, {name}", ours.questions, min(directed, default=0.0))


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
