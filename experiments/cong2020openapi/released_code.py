"""What it changes to follow the paper's released code where it differs from the text.

    python experiments/cong2020openapi/released_code.py --instances 50

explains the same test images as `facetwise.reproduce`, once as the text has it and once
as the code has it, and prints a table for `differences.md`. The code's variants are
written anew here, from what it does.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from captum import attr
from numpy.typing import NDArray

from facetwise.baselines import GradientInput, IntegratedGradients, LimeImage, Saliency
from facetwise.baselines.differentiable import differentiable
from facetwise.core.designs import uniform_cloud
from facetwise.core.response import LogOdds, Response
from facetwise.metrics import (
    altered,
    change_of_probability,
    cosine_similarity,
    nearest_neighbours,
)
from facetwise.reproduce.measure import Scene
from facetwise.reproduce.targets import DATA_SETS, MODELS, target
from facetwise.reproduce.work import Request

Array = NDArray[np.float64]
Explain = Callable[[Any, Array, int], Array]

STEPS = 5
"""Of integrated gradients in the code, besides the baseline itself."""

ZERO_TOLD = 1e-9
"""A weight that the code would read as not positive; those of the truth are 0."""


@dataclass(frozen=True)
class Found:
    """Means over instances of a variant; NaN where it was not measured."""

    cpp: float
    cosine: float


# Weights as the text has them, and as the code has them -----------------------------


def text(method: Any) -> Explain:
    """A method of `facetwise.baselines`."""

    def explain(model: Any, x: Array, c: int) -> Array:
        seen = model if method.sees == "parameters" else model.predict_proba
        return method(seen, x[None], c).values[0]

    return explain


def of_probability(model: Any) -> Callable[[Any], Any]:
    """The probabilities, where the text's settings are those of logits."""
    logits = differentiable(model)
    return lambda X: torch.softmax(logits(X), dim=1)


def gradient(model: Any, x: Array, c: int) -> Array:
    """Of the probability of class c."""
    X = torch.tensor(x[None], requires_grad=True)
    method = attr.Saliency(of_probability(model))
    return method.attribute(X, target=c, abs=False).detach().numpy()[0]


def saliency_as_coded(model: Any, x: Array, c: int) -> Array:
    """|gradient| times the input."""
    return np.abs(gradient(model, x, c)) * x


def product_as_coded(model: Any, x: Array, c: int) -> Array:
    """The gradient of the probability times the input."""
    return gradient(model, x, c) * x


def integrated_as_coded(model: Any, x: Array, c: int) -> Array:
    """The mean gradient of the probability in six places, black and x among them."""
    places = np.linspace(0.0, 1.0, STEPS + 1)
    return np.mean([gradient(model, t * x, c) for t in places], axis=0) * x


VARIANTS: dict[str, tuple[Explain, Explain]] = {
    "Saliency times input": (text(Saliency()), saliency_as_coded),
    "Gradient * Input of the probability": (text(GradientInput()), product_as_coded),
    "Integrated Gradients of the probability, 5 steps": (
        text(IntegratedGradients()),
        integrated_as_coded,
    ),
    "LIME with d + 2 samples": (text(LimeImage()), text(LimeImage(samples=786))),
}


def compared(scene: Scene, pairs: list[tuple[int, int]], explain: Explain) -> Found:
    """Mean CPP over 200 altered features, mean cosine similarity to the neighbour."""
    cpp, cosines = [], []
    for i, j in pairs:
        x, c = scene.X[i], scene.predicted(scene.X[i])
        here, there = (explain(scene.model, scene.X[k], c) for k in (i, j))
        rows = altered(x, here)
        cpp.append(change_of_probability(scene.model.predict_proba(rows), c)[1:].mean())
        cosines.append(cosine_similarity(here[None], there[None])[0])
    return Found(float(np.mean(cpp)), float(np.nanmean(cosines)))


def zeros_to_one(scene: Scene, pairs: list[tuple[int, int]]) -> tuple[float, float]:
    """Mean CPP of the true weights, zeros left alone or set to 1 as in the code."""
    left, coded = [], []
    for i, _ in pairs:
        x, c = scene.X[i], scene.predicted(scene.X[i])
        D = scene.box(x[None]).decision_features(c)[0][0]
        told = np.where(D == 0.0, -ZERO_TOLD * np.abs(D).max(), D)
        for weights, found in ((D, left), (told, coded)):
            rows = altered(x, weights)
            change = change_of_probability(scene.model.predict_proba(rows), c)
            found.append(change[1:].mean())
    return float(np.mean(left)), float(np.mean(coded))


def neighbours_as_coded(
    scene: Scene, pairs: list[tuple[int, int]]
) -> tuple[float, float]:
    """Mean cosine of the true weights: of neighbours by the text, and by the code.

    The code looks for a neighbour among the instances drawn, as many as there are here,
    and explains the class that is predicted for the neighbour itself.
    """
    drawn = np.array([i for i, _ in pairs])
    near = drawn[nearest_neighbours(np.arange(len(drawn)), scene.X[drawn])]

    def mean(others: Array, own_class: bool) -> float:
        cosines = []
        for i, j in zip(drawn, others, strict=True):
            local = scene.box(scene.X[[i, j]])
            c = scene.predicted(scene.X[i])
            there = scene.predicted(scene.X[j]) if own_class else c
            here, other = (local.decision_features(k)[0] for k in (c, there))
            cosines.append(cosine_similarity(here[:1], other[1:])[0])
        return float(np.mean(cosines))

    return mean(np.array([j for _, j in pairs]), False), mean(near, True)


# Algorithm 1 as the code has it -----------------------------------------------------


def algorithm1_as_coded(scene: Scene, x: Array, c: int, seed: int) -> tuple[int, float]:
    """Iterations, and L1Dist to the truth, NaN where it gives up.

    It begins with half-width 1, solves the equations of d + 1 points, accepts when they
    predict the instance to 1e-10, and gives up at a half-width of 1e-8.
    """
    rng, d, half, rounds = np.random.default_rng(seed), len(x), 1.0, 0
    C = scene.box.outputs
    read = LogOdds(Response.PROBABILITIES, c, tuple(k for k in range(C) if k != c))
    own = read.values(scene.model.predict_proba(x[None]))[0]
    truth = scene.box(x[None]).decision_features(c)[0][0]
    while half > 1e-8:
        rounds += 1
        points = x + uniform_cloud(rng, d + 1, np.full(d, half))
        A = np.hstack([points, np.ones((d + 1, 1))])
        L = read.values(scene.model.predict_proba(points))
        beta = np.linalg.solve(A, L)
        if np.abs(np.append(x, 1.0) @ beta - own).max() <= 1e-10:
            return rounds, float(np.abs(beta[:-1].mean(axis=1) - truth).sum())
        half /= 2.0
    return rounds, np.nan


def scenes() -> Iterator[tuple[str, Scene]]:
    """Every target model."""
    for data_set, model in itertools.product(DATA_SETS, MODELS):
        yield f"{data_set}, {model}", Scene(target(data_set, model))


def main() -> None:
    """Print the tables, model by model."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--instances", type=int, default=50)
    instances = np.array(Request(instances=parser.parse_args().instances).drawn)
    for name, scene in scenes():
        pairs = list(zip(instances, scene.neighbours(instances), strict=True))
        print(f"\n{name}\n\n| variant | CPP: text | code | CS: text | code |")
        print("|---|---|---|---|---|")
        for what, explains in VARIANTS.items():
            a, b = (compared(scene, pairs, explain) for explain in explains)
            print(f"| {what} | {a.cpp:.3f} | {b.cpp:.3f}", end="")
            print(f" | {a.cosine:.3f} | {b.cosine:.3f} |", flush=True)
        left, coded = zeros_to_one(scene, pairs)
        print(f"| weights of zero altered to 1 | {left:.3f} | {coded:.3f} | | |")
        ours, theirs = neighbours_as_coded(scene, pairs)
        print(f"| neighbours and their classes | | | {ours:.3f} | {theirs:.3f} |")
        coded_runs = [
            algorithm1_as_coded(scene, scene.X[i], scene.predicted(scene.X[i]), int(i))
            for i in instances
        ]
        rounds, off = np.array(coded_runs).T
        lost, most = int(np.isnan(off).sum()), float(np.nanmax(off))
        print(
            f"\nAlgorithm 1 as coded: {rounds.mean():.2f} iterations, {lost} of "
            f"{len(off)} given up, mean L1Dist {np.nanmean(off):.3g}, most {most:.3g}",
            flush=True,
        )


if __name__ == "__main__":
    main()
