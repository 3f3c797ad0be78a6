"""From pieces to the lines of the table."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.datasets import Images
from facetwise.metrics import label_changed_instances
from facetwise.reproduce import pieces
from facetwise.reproduce.pieces import Part, Piece
from facetwise.reproduce.table import ALL, Row
from facetwise.reproduce.table1 import Accuracy
from facetwise.reproduce.targets import DATA_SETS

IMAGES = "images"
"""The method of lines that are averaged images."""

AVERAGED = ("facetwise", "algorithm 1")
"""Methods whose weights are averaged for figure 2."""

SHOWN = {
    "fashion-mnist": ("Ankle boot", "Pullover", "Coat", "Sneaker", "T-shirt/top"),
    "mnist": ("0", "2", "3", "4", "7"),
}
"""Classes of figure 2. The paper shows none of MNIST."""

Cell = tuple[str, str, str, str]
"""Data set, model, method and setting."""


def rows(accuracies: Sequence[Accuracy], paths: dict[Piece, Path]) -> Iterator[Row]:
    """All lines of the table, from models and from the pieces that are kept."""
    for line in accuracies:
        cell = (line.data_set, line.model, "", "")
        yield (*cell, ALL, "training accuracy", line.train)
        yield (*cell, ALL, "test accuracy", line.test)
    parts: dict[Cell, list[Part]] = defaultdict(list)
    for piece, path in paths.items():
        cell = (piece.data_set, piece.model, piece.method, piece.setting)
        parts[cell].append(pieces.read(path))
    for cell, found in parts.items():
        yield from _by_instance(cell, found)
        yield from _curves(cell, found)
        yield from _averages(cell, found)


def _by_instance(cell: Cell, parts: Sequence[Part]) -> Iterator[Row]:
    for part in parts:
        for measure, values in part.numbers.items():
            for instance, value in zip(part.instances, values, strict=True):
                yield (*cell, str(instance), measure, float(value))


def _curves(cell: Cell, parts: Sequence[Part]) -> Iterator[Row]:
    """Mean CPP and NLCI over all instances, for each number of altered features."""
    cpp = np.concatenate([part.cpp for part in parts])
    changed = np.concatenate([part.changed for part in parts])
    if not cpp.shape[1]:
        return
    counts = label_changed_instances(changed.astype(np.intp))
    for k, (change, count) in enumerate(zip(cpp.mean(axis=0), counts, strict=True)):
        yield (*cell, ALL, f"CPP {k}", float(change))
        yield (*cell, ALL, f"NLCI {k}", float(count))


def _averages(cell: Cell, parts: Sequence[Part]) -> Iterator[Row]:
    """Weights, averaged over the instances of a class; once also the images."""
    data_set, model, method, setting = cell
    if method not in AVERAGED or setting:
        return
    values = np.concatenate([part.values for part in parts])
    targets = np.concatenate([part.targets for part in parts])
    instances = np.concatenate([part.instances for part in parts])
    yield from _pixels(cell, _by_class(data_set, values, targets))
    if method == AVERAGED[0]:
        drawn = _by_class(data_set, _images(data_set).test.X[instances], targets)
        yield from _pixels((data_set, model, IMAGES, ""), drawn)


def _by_class(data_set: str, of: Floats, targets: Ints) -> dict[str, Floats]:
    """Means (d,) over the answers for instances that are predicted to be of a class."""
    names = _images(data_set).class_names
    answered = np.isfinite(of).all(axis=1)
    groups = {
        name: of[answered & (targets == names.index(name))] for name in SHOWN[data_set]
    }
    return {name: group.mean(axis=0) for name, group in groups.items() if len(group)}


@functools.cache
def _images(data_set: str) -> Images:
    return DATA_SETS[data_set]()


def _pixels(cell: Cell, means: dict[str, Floats]) -> Iterator[Row]:
    for name, mean in means.items():
        for j, value in enumerate(mean):
            yield (*cell, name, f"pixel {j}", float(value))
