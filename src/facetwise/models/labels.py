"""Labels of any type, as codes 0, 1, 2, … and the classes that these stand for."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from facetwise.core.messages import Ints
from facetwise.errors import InputError

Labels = NDArray[Any]

PLAIN = (str, int, float, bool, type(None))
"""Types of labels that JSON gives back as they were."""


def encode(y: ArrayLike, rows: int) -> tuple[Labels, Ints]:
    """The classes (C,), in order, and the code (n,) of each of the labels y."""
    labels = _column(y)
    if len(labels) != rows:
        raise InputError(
            f"There are {rows} rows in X and {len(labels)} labels in y: pass one label "
            "for each row."
        )
    classes, codes = _distinct(labels)
    if len(classes) < 2:
        raise InputError(
            f"y has one class only, {classes[0]!r}: there is nothing to tell apart. "
            "Pass rows of two classes or more."
        )
    return classes, codes


def _column(y: ArrayLike) -> Labels:
    """The labels as an array (n,); a list of tuples holds n labels that are tuples."""
    if isinstance(y, (list, tuple)) and any(isinstance(label, tuple) for label in y):
        labels = np.empty(len(y), dtype=object)
        labels[:] = y
        return labels
    labels = np.asarray(y)
    if isinstance(y, (list, tuple)) and labels.dtype.kind in "US":
        # NumPy would make text of numbers that stand among text.
        kinds = {type(label) for label in y}
        labels = labels if len(kinds) == 1 else np.array(y, dtype=object)
    if labels.ndim != 1:
        raise InputError(
            f"y must have one dimension, a label for each row; got shape "
            f"{labels.shape}. Pass y.ravel() if it is a column."
        )
    return labels


def _distinct(labels: Labels) -> tuple[Labels, Ints]:
    """The classes in order, and codes; of labels that have no order, as they come."""
    if labels.dtype.kind == "O":
        return _distinct_objects(list(labels))
    if labels.dtype.kind == "f":
        _refuse_quantities(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.intp)


def _refuse_quantities(labels: Labels) -> None:
    """Fractions are no classes, and a missing label is none either."""
    if not np.isfinite(labels).all():
        i = int(np.argmin(np.isfinite(labels)))
        raise InputError(
            f"y has no label in row {i}: {labels[i]}. Leave such rows out."
        )
    if np.any(labels != np.round(labels)):
        fraction = labels[labels != np.round(labels)][0]
        raise InputError(
            f"y holds fractions such as {fraction}, so it looks like a quantity. This "
            "is a classifier: pass classes, as text if they are called by fractions."
        )


def _distinct_objects(labels: list[Hashable]) -> tuple[Labels, Ints]:
    try:
        seen = dict.fromkeys(labels)
    except TypeError as error:
        raise InputError(f"Labels must be hashable ({error}).") from error
    lost = [i for i, label in enumerate(labels) if label != label]  # NaN and its kin
    if lost:
        raise InputError(f"y has no label in row {lost[0]}. Leave such rows out.")
    code = {label: k for k, label in enumerate(_ordered(list(seen)))}
    classes = np.empty(len(code), dtype=object)
    classes[:] = list(code)
    return classes, np.array([code[label] for label in labels], dtype=np.intp)


def _ordered(distinct: list[Any]) -> list[Any]:
    try:
        return sorted(distinct)
    except TypeError:
        return distinct


def saved(classes: Labels) -> list[Any] | None:
    """Classes of mixed types as JSON holds them; None where an array holds them."""
    if classes.dtype.kind != "O":
        return None
    strange = [label for label in classes if type(label) not in PLAIN]
    if strange:
        raise InputError(
            f"Labels such as {strange[0]!r} cannot be saved without pickle. Train on "
            "text or numbers, and keep the list of what they stand for."
        )
    return list(classes)


def restored(labels: list[Any]) -> Labels:
    """The classes that `saved` made a list of."""
    classes = np.empty(len(labels), dtype=object)
    classes[:] = labels
    return classes
