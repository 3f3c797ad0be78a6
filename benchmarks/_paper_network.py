"""The paper's network, 784-256-128-100-10 with ReLU: trained on images, or random."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _harness import zoo
from numpy.typing import NDArray

from facetwise import datasets
from facetwise.reproduce.targets import DATA_SETS

Array = NDArray[np.float64]

SIZES = (784, 256, 128, 100, 10)
EPOCHS, BATCH, RATE = 4, 128, 1e-3


def networks(
    rng: np.random.Generator, n: int
) -> Iterator[tuple[str, zoo.Dense, Array]]:
    """Name, network and n instances: random, and on each data set that is there.

    Training on a data set takes about 20 seconds.
    """
    weights, biases = initial(rng)
    biases = [b + 0.1 * rng.standard_normal(b.shape) for b in biases]
    random = zoo.Dense(tuple(weights), tuple(biases))
    yield "random", random, rng.standard_normal((n, SIZES[0]))
    for name in at_hand():
        data = DATA_SETS[name]()
        network, order = trained(data.train, rng), rng.permutation(len(data.test))
        yield name, network, data.test.X[order[:n]]


def at_hand() -> list[str]:
    """Names of the data sets in the folder that FACETWISE_DATA names."""
    folder = Path(os.environ.get("FACETWISE_DATA", "."))
    first = "train-images-idx3-ubyte.gz"
    return [name for name in DATA_SETS if (folder / name / first).exists()]


def initial(rng: np.random.Generator) -> tuple[list[Array], list[Array]]:
    """He weights (units, inputs) and no biases."""
    pairs = list(zip(SIZES[1:], SIZES[:-1], strict=True))
    weights = [rng.standard_normal(pair) * np.sqrt(2 / pair[1]) for pair in pairs]
    return weights, [np.zeros(units) for units, _ in pairs]


def trained(train: datasets.ImagePart, rng: np.random.Generator) -> zoo.Dense:
    """The network after a few epochs of Adam, in 32 bits for speed."""
    X, y = (train.pixels / 255).astype(np.float32), train.y
    weights, biases = initial(rng)
    parameters = [p.astype(np.float32) for p in (*weights, *biases)]
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * (1.0 if epoch < EPOCHS - 1 else 0.3)
        order = rng.permutation(len(X))
        for start in range(0, len(X), BATCH):
            batch = order[start : start + BATCH]
            step += 1
            gradients = backward(parameters, X[batch], y[batch])
            for p, g, m, v in zip(parameters, gradients, first, second, strict=True):
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                unbiased = np.sqrt(v / (1 - 0.999**step)) + 1e-8
                p -= rate / (1 - 0.9**step) * m / unbiased
    layers = len(weights)
    final = [p.astype(np.float64) for p in parameters]
    return zoo.Dense(tuple(final[:layers]), tuple(final[layers:]))


def backward(parameters: list, X: NDArray, y: NDArray) -> list[NDArray]:
    """Gradients of the mean cross-entropy, weights first."""
    layers = len(parameters) // 2
    weights, biases = parameters[:layers], parameters[layers:]
    inputs = [X]
    for W, b in zip(weights, biases, strict=True):
        z = inputs[-1] @ W.T + b
        inputs.append(np.maximum(z, 0))
    g = np.exp(z - z.max(axis=1, keepdims=True))
    g /= g.sum(axis=1, keepdims=True)
    g[np.arange(len(y)), y] -= 1
    g /= len(y)
    to_weights, to_biases = [], []
    for W, h in zip(reversed(weights), reversed(inputs[:-1]), strict=True):
        to_weights.append(g.T @ h)
        to_biases.append(g.sum(axis=0))
        g = (g @ W) * (h > 0)
    return [*reversed(to_weights), *reversed(to_biases)]
