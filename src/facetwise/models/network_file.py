"""A trained network in one .npz file, without pickle."""

from __future__ import annotations

import json
from os import PathLike
from typing import IO, Any

import numpy as np

from facetwise.errors import UNREADABLE, InputError
from facetwise.models.labels import Labels
from facetwise.models.layers import Activation, Array, Dense, Maxout, Rectifier

FORMAT = 1
"""Version of the file format."""

PLAIN = (str, int, float, bool, type(None))
"""Types of labels that JSON gives back as they were."""


def write(
    path: str | PathLike[str], network: Dense, classes: Labels, note: dict[str, Any]
) -> None:
    """Write a network, its classes, and a note that JSON can hold."""
    about = {
        "facetwise_network": FORMAT,
        "layers": len(network.weights),
        "pieces": [a.pieces for a in network.activations if isinstance(a, Maxout)],
        "labels": _as_json(classes) if classes.dtype.kind == "O" else None,
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
    with open(path, "wb") as file:  # noqa: PTH123  a path may be a plain string
        np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)


def read(path: str | PathLike[str]) -> tuple[Dense, Labels, dict[str, Any]]:
    """What `write` wrote; a file that is anything else is named, and not used."""
    with open(path, "rb") as file:  # noqa: PTH123  a path may be a plain string
        try:
            return _read(file, path)
        except InputError:
            raise
        except UNREADABLE as error:
            raise InputError(
                f"{path} is no saved network, or a damaged one ({error!r}). Expected a "
                "file that PLNN.save wrote."
            ) from error


def _read(
    file: IO[bytes], path: str | PathLike[str]
) -> tuple[Dense, Labels, dict[str, Any]]:
    with np.load(file, allow_pickle=False) as content:
        about = json.loads(str(content["about"]))
        if about["facetwise_network"] != FORMAT:
            raise InputError(
                f"{path} has format {about['facetwise_network']}; this version of "
                f"facetwise reads format {FORMAT}. Read it with the version that wrote "
                "it."
            )
        layers = range(about["layers"])
        activations: list[Activation] = [Maxout(k) for k in about["pieces"]]
        if not activations:
            activations = [Rectifier(content[f"slopes_{k}"]) for k in layers[:-1]]
        network = Dense(
            tuple(content[f"weights_{k}"] for k in layers),
            tuple(content[f"biases_{k}"] for k in layers),
            tuple(activations),
        )
        classes = content["classes"] if about["labels"] is None else _back(about)
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


def _as_json(classes: Labels) -> list[Any]:
    strange = [label for label in classes if type(label) not in PLAIN]
    if strange:
        raise InputError(
            f"Labels such as {strange[0]!r} cannot be saved without pickle. Train on "
            "text or numbers, and keep the list of what they stand for."
        )
    return list(classes)


def _back(about: dict[str, Any]) -> Array:
    classes = np.empty(len(about["labels"]), dtype=object)
    classes[:] = about["labels"]
    return classes
