"""Do the features that weigh most move the prediction most? CPP and NLCI.

The features of an instance are altered one after the other, in descending order of
their absolute weights: to 0 where the weight is positive, to 1 where it is negative.
Features are taken to lie between 0 and 1. A weight of zero or NaN says nothing, and
leaves its feature as it is.
"""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError


def altered(x: Floats, weights: Floats, features: int = 200) -> Floats:
    """The instance x (d,) with the first k features altered, a row for k = 0, 1, ….

    There are `features` + 1 rows, or d + 1 if there are fewer features. Of equal
    weights the first feature comes first.
    """
    if x.ndim != 1 or x.shape != weights.shape:
        raise InputError(
            "altered needs one instance and a weight for each of its features; got "
            f"shapes {x.shape} and {weights.shape}."
        )
    sizes = np.nan_to_num(np.abs(weights), nan=0.0)
    order = np.argsort(-sizes, kind="stable")[:features]
    rows = np.tile(x, (len(order) + 1, 1))
    for k, j in enumerate(order, start=1):
        if sizes[j] > 0.0:
            rows[k:, j] = 0.0 if weights[j] > 0.0 else 1.0
    return rows


def change_of_probability(probabilities: Floats, target: int) -> Floats:
    """CPP (k,): how far the target's probability is from what it was at first.

    `probabilities` (k, C) are those of `altered`; the first row is the instance.
    """
    own = probabilities[:, target]
    change: Floats = np.abs(own - own[0])
    return change


def label_changed_instances(labels: Ints) -> Ints:
    """NLCI (k,): of how many instances the label is no longer what it was at first.

    `labels` (n, k) are predicted for the rows of `altered`, of n instances.
    """
    count: Ints = (labels != labels[:, :1]).sum(axis=0)
    return count
