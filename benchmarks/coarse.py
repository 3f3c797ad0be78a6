"""Coarse answers cost a few questions more, and give the digits back that they can.

Services that round their scores, asked for bounds of 30 %, 3 % (the default) and 0.1 %
of the weights' norm (`precision`): what an instance costs beyond d + 2, how many of
its pairs of classes are certified, and the bound that they get. In 32 bits an instance
costs at most 1.3 times d + 26 questions.

Beside it stands the share of pairs that anyone could tell anything of, however many
questions are spent: those of which both scores move by a step of their grid somewhere
in the region around the instance (the widest box of it that is centred there). Where
a score does not, its log-odds are hidden altogether. The rest is told apart: pairs that
are faint, as they move so little over that box that the theorem gives them no useful
bound whatever the weights are, and pairs that were missed for another reason.

In full about five minutes on 2 cores; --quick about half of one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from _cases import significant
from _harness import Claim, Options, Table, run, zoo
from _paper_network import networks
from numpy.typing import NDArray

import facetwise as fw
from facetwise.core.task import PRECISION

Array = NDArray[np.float64]

PRECISIONS = (0.3, PRECISION, 0.001)
D, C, LAYERS, WIDTH = 13, 5, 3, 32

SHAPES = {1: (2, 16), 4: (2, 32), 13: (3, 32), 30: (3, 64), 100: (3, 128)}
CLASSES = {1: 2, 4: 3, 13: 3, 30: 5, 100: 10}
"""d -> hidden layers and width, and classes, of the networks behind 32 bits."""

USEFUL = 0.1
"""Share of the weights' norm that a useful bound does not exceed."""


ATTAINABLE = 3.1
"""The least bound, in half steps, that the theorem gives for the check points of the
coarsest pace: 4.6 times their root mean square, 1/√3 of a half step, and a tenth."""


def rounded(decimals: int) -> Callable[[zoo.Service], zoo.Service]:
    """Services that round to decimals."""
    return lambda f: zoo.round_answers(f, decimals)


def shortened(digits: int) -> Callable[[zoo.Service], zoo.Service]:
    """Services that keep so many significant digits."""
    return lambda f: lambda X: significant(f(X), digits)


SERVICES: dict[str, Callable[[zoo.Service], zoo.Service]] = {
    "32-bit": zoo.float32_answers,
    "8 decimals": rounded(8),
    "6 decimals": rounded(6),
    "4 decimals": rounded(4),
    "5 digits": shortened(5),
    "3 digits": shortened(3),
}


# --- What anyone could tell ----------------------------------------------------------


def widest_box(network: zoo.Dense, x: Array, scale: Array) -> float:
    """Radius of the widest box around x in which no unit of the network switches."""
    A, z, radius = np.eye(len(x)), x, np.inf
    for W, b in zip(network.weights[:-1], network.biases[:-1], strict=True):
        A, z = W @ A, W @ z + b
        reach = np.abs(A) @ scale
        with np.errstate(divide="ignore", invalid="ignore"):
            radius = min(radius, float(np.nanmin(np.abs(z) / reach)))
        A, z = A * (z > 0)[:, None], np.maximum(z, 0)
    return radius


@dataclass(frozen=True, slots=True)
class Pairs:
    """Of the pairs (C - 1,) of an instance: which move, and which do so faintly."""

    moving: NDArray[np.bool_]
    faint: NDArray[np.bool_]


def tellable(
    network: zoo.Dense, service: zoo.Service, x: Array, target: int, scale: Array
) -> Pairs:
    """What the answers in the region around x show of each pair."""
    W, _ = network.local(x)
    half = min(widest_box(network, x, scale), 1.0) * scale
    rivals = [c for c in range(network.C) if c != target]
    # Log-odds are linear in the box, so corners along their slopes go farthest.
    towards = np.sign((W[:, None] - W[None]).reshape(-1, network.d)) * half
    answers = np.asarray(service(np.vstack([x, x + towards, x - towards])), float)
    moves = (np.ptp(answers, axis=0) > 0) & (answers.max(axis=0) > 0)
    y = answers[0]
    asked = np.vstack([x, x + towards, x - towards])
    step = np.abs(answers - zoo.probabilities(network)(asked)).max(axis=0)
    size = np.array([np.linalg.norm(half * (W[target] - W[c])) for c in rivals])
    with np.errstate(divide="ignore", invalid="ignore"):
        hidden = step[target] / y[target] + step[rivals] / y[rivals]
    moving = moves[target] & moves[rivals]
    return Pairs(moving, moving & ~(ATTAINABLE * hidden <= USEFUL * size))


# --- What is told --------------------------------------------------------------------


def explain(
    service: zoo.Service, X: Array, seed: int, precision: float
) -> fw.Explanation:
    """An explanation of probabilities."""
    return fw.Explainer(
        service,
        response="probabilities",
        seed=seed,
        precision=precision,
        memory=False,
        progress=False,
    )(X)


def trade(options: Options) -> None:
    """What a wanted bound costs on each service, and what it buys."""
    table = Table(
        service=11, wanted=7, beyond=7, certified=10, pairs=6, best=6, faint=6,
        missed=7, bound=8, bound_to_error=15,
    )  # fmt: skip
    n_networks, n = (3, 20) if options.quick else (20, 50)
    for name, make in SERVICES.items():
        if options.only not in (None, name):
            continue
        for precision in PRECISIONS:
            cells = []
            for k in range(n_networks):
                rng = np.random.default_rng([options.seed, k])
                network = zoo.random_network(rng, D, C, LAYERS, WIDTH)
                X = rng.standard_normal((n, D))
                service = make(zoo.probabilities(network))
                told = explain(service, X, options.seed + k, precision)
                cells += [of_row(network, service, told, i) for i in range(n)]
            figures = np.array(cells)
            shown, bounded = figures.mean(axis=0), figures[figures[:, 1] > 0]
            nothing = np.full(figures.shape[1], np.nan)
            middle = np.median(bounded, axis=0) if len(bounded) else nothing
            table.row(
                name,
                f"{precision:.1%}",
                *(f"{v:.3g}" for v in shown[:1]),
                *(f"{v:.1%}" for v in shown[1:6]),
                f"{middle[6]:.2g}",
                float(middle[7]),
            )


def of_row(
    network: zoo.Dense, service: zoo.Service, told: fw.Explanation, i: int
) -> list[float]:
    """Figures of one row, in the order of the table."""
    x, target = told.data[i], int(told.target[i])
    scale = np.array(told.meta["scale"])
    pairs = tellable(network, service, x, target, scale)
    bounds = np.delete(told.pairwise_bound[i], target)
    certified = np.isfinite(bounds)
    missed = pairs.moving & ~pairs.faint & ~certified
    W, _ = network.local(x)
    relative = to_error = np.nan
    if told.certified[i]:
        rival = int(told.contrast[i])
        truth = zoo.contrast(W, target, None if rival < 0 else rival)
        off = np.linalg.norm(scale * (told.values[i] - truth))
        relative = told.scaled_bound[i] / np.linalg.norm(scale * truth)
        to_error = told.scaled_bound[i] / off
    return [
        float(told.queries[i]) - (network.d + 2),
        float(told.certified[i]),
        float(certified.mean()),
        float(pairs.moving.mean()),
        float(pairs.faint.mean()),
        float(missed.mean()),
        float(relative),
        float(to_error),
    ]


def in_32_bits(options: Options) -> Iterator[tuple[str, zoo.Dense, Array]]:
    """Networks of all sizes, and instances."""
    each, n = (4, 40) if options.quick else (10, 50)
    for d, (layers, width) in SHAPES.items():
        for k in range(each):
            rng = np.random.default_rng([options.seed, d, k])
            network = zoo.random_network(rng, d, CLASSES[d], layers, width)
            yield f"d = {d}", network, rng.standard_normal((n, d))
    rng = np.random.default_rng([options.seed, 784])
    for name, network, X in networks(rng, 32 if options.quick else 100):
        yield f"d = 784, {name}", network, X
        if options.quick:
            break


def benchmark(options: Options) -> Iterator[Claim]:
    """Show the trade, then hold the questions in 32 bits to their limit."""
    trade(options)
    if options.only is not None:
        return
    table = Table(in_32_bits=22, instances=9, questions=10, certified=10, limit=8)
    costs: dict[str, list[fw.Explanation]] = {}
    for k, (name, network, X) in enumerate(in_32_bits(options)):
        service = zoo.float32_answers(zoo.probabilities(network))
        told = explain(service, X, options.seed + k, PRECISION)
        costs.setdefault(name, []).append(told)
    for name, parts in costs.items():
        queries = np.concatenate([told.queries for told in parts])
        certified = np.concatenate([told.certified for told in parts])
        limit = 1.3 * (parts[0].data.shape[1] + 26)
        table.row(name, len(queries), queries.mean(), f"{certified.mean():.1%}", limit)
        yield Claim(f"questions in 32 bits, {name}", float(queries.mean()), limit)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
