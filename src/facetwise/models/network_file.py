"""A trained network in one .npz file, without pickle."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from facetwise.archive import Archive, Arrays, Note
from facetwise.models import labels
from facetwise.models.labels import Labels
from facetwise.models.layers import Activation, Dense, Maxout, Rectifier

ARCHIVE = Archive("facetwise_network", 1, "network", "PLNN.save")


def write(
    path: str | PathLike[str], network: Dense, classes: Labels, note: Note
) -> None:
    """Write a network, its classes, and a note that JSON can hold."""
    about = {
        "layers": len(network.weights),
        "pieces": [a.pieces for a in network.activations if isinstance(a, Maxout)],
        "labels": labels.saved(classes),
        **note,
    }
    arrays: dict[str, Any] = {
        **{f"weights_{k}": W for k, W in enumerate(network.weights)},
        **{f"biases_{k}": b for k, b in enumerate(network.biases)},
        **{
            f"slopes_{k}": a.slope
            for k, a in enumerate(network.activations)
            if isinstance(a, Rectifier)
        },
    }
    if about["labels"] is None:
        arrays["classes"] = classes
    ARCHIVE.write(path, about, arrays)


def read(path: str | PathLike[str]) -> tuple[Dense, Labels, Note]:
    """What `write` wrote; a file that is anything else is named, and not used."""
    return ARCHIVE.read(path, _built)


def _built(about: Note, content: Arrays) -> tuple[Dense, Labels, Note]:
    layers = range(about["layers"])
    activations: list[Activation] = [Maxout(k) for k in about["pieces"]]
    if not activations:
        activations = [Rectifier(content[f"slopes_{k}"]) for k in layers[:-1]]
    network = Dense(
        tuple(content[f"weights_{k}"] for k in layers),
        tuple(content[f"biases_{k}"] for k in layers),
        tuple(activations),
    )
    listed = about["labels"]
    classes = content["classes"] if listed is None else labels.restored(listed)
    _fits_together(network, classes)
    return network, classes, about


def _fits_together(network: Dense, classes: Labels) -> None:
    """Raise unless each layer takes what the one before it gives."""
    arrays = (*network.weights, *network.biases)
    if not all(np.isfinite(a).all() for a in arrays):
        raise ValueError("weights that are not finite")
    blank = np.zeros((1, network.features))
    if network.run(blank)[0].shape != (1, len(classes)):
        raise ValueError("not one output for each class")
