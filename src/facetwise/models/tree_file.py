"""A trained logistic model tree in one .npz file, without pickle."""

from __future__ import annotations

import json
from dataclasses import fields
from os import PathLike
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from facetwise.errors import UNREADABLE, InputError
from facetwise.models.logistic_tree import LogisticTree

FORMAT = 1
"""Version of the file format."""

PLAIN = (str, int, float, bool)
"""Types of labels that JSON gives back as they were."""


def write(
    path: str | PathLike[str],
    tree: LogisticTree,
    classes: NDArray[Any],
    about: dict[str, Any],
) -> None:
    """Write a tree, its classes, and what JSON can hold besides."""
    arrays = {field.name: getattr(tree, field.name) for field in fields(tree)}
    labels = None
    if classes.dtype.kind == "O":
        labels = classes.tolist()
        _require_plain(labels)
    else:
        arrays["classes"] = classes
    note = {**about, "labels": labels, "facetwise_tree": FORMAT}
    with open(path, "wb") as file:  # noqa: PTH123  a path may be a plain string
        np.savez_compressed(file, about=np.array(json.dumps(note)), **arrays)


def read(
    path: str | PathLike[str],
) -> tuple[LogisticTree, NDArray[Any], dict[str, Any]]:
    """What `write` wrote; a file that is anything else is named, and not used."""
    with open(path, "rb") as file:  # noqa: PTH123  a path may be a plain string
        try:
            return _read(file, path)
        except InputError:
            raise
        except UNREADABLE as error:
            raise InputError(
                f"{path} is no saved tree, or a damaged one ({error!r}). Expected a "
                "file that LogisticModelTree.save wrote."
            ) from error


def _read(
    file: IO[bytes], path: str | PathLike[str]
) -> tuple[LogisticTree, NDArray[Any], dict[str, Any]]:
    with np.load(file, allow_pickle=False) as content:
        about = json.loads(str(content["about"]))
        if about["facetwise_tree"] != FORMAT:
            raise InputError(
                f"{path} has format {about['facetwise_tree']}; this version of "
                f"facetwise reads format {FORMAT}. Read it with the version that wrote "
                "it."
            )
        arrays = {field.name: content[field.name] for field in fields(LogisticTree)}
        labels = about["labels"]
        classes = content["classes"] if labels is None else np.array(labels, object)
    return LogisticTree(**arrays), classes, about


def _require_plain(labels: list[Any]) -> None:
    for label in labels:
        if type(label) not in PLAIN:
            raise InputError(
                f"The label {label!r} is a {type(label).__name__}, which a file "
                "without pickle can not hold. Train on text or numbers to save."
            )
