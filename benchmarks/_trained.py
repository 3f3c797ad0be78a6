"""The paper's models on its images, and the truth about what is told of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from _harness import Options
from _paper_network import at_hand
from numpy.typing import NDArray

import facetwise as fw
from facetwise import datasets
from facetwise.models import PLNN, LogisticModelTree
from facetwise.reproduce.targets import DATA_SETS, MODELS, target

Array = NDArray[np.float64]

FEW = 3000
"""Images that the tree of a quick run is trained on."""


def small(data: datasets.Images, kind: str, seed: int) -> Any:
    """A model that is trained in seconds, on a part of the images."""
    if kind == "plnn":
        return PLNN(epochs=1, seed=seed).fit(data.train.X, data.train.y)
    return LogisticModelTree().fit(data.train.X[:FEW], data.train.y[:FEW])


def models(options: Options) -> Iterator[tuple[str, Any, datasets.ImagePart]]:
    """Name, model and test images, of every data set that is there."""
    for name, kind in itertools.product(
        at_hand()[: 1 if options.quick else None], MODELS
    ):
        what = f"{kind}, {name}"
        if options.only not in (None, what):
            continue
        if options.quick:
            data = DATA_SETS[name]()
            yield what, small(data, kind, options.seed), data.test
        else:
            found = target(name, kind, options.seed)
            yield what, found.model, found.data.test


def outside(box: Any, rows: Array, explanation: fw.Explanation) -> NDArray[np.bool_]:
    """Rows (n,) that are certified, with a weight farther from the truth at `rows`.

    The truth is D_c, or the one contrast that was certified.
    """
    local = box(rows)
    beyond = np.zeros(len(rows), dtype=bool)
    for i in np.flatnonzero(explanation.certified):
        target, rival = int(explanation.target[i]), int(explanation.contrast[i])
        D, _ = (
            local.decision_features(target)
            if rival < 0
            else local.contrast(target, rival)
        )
        error = np.abs(explanation.values[i] - D[i])
        beyond[i] = bool((error > explanation.error_bound[i]).any())
    return beyond
