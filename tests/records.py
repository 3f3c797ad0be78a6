"""Explanations written by hand, for tests of what is made of them."""

from __future__ import annotations

import numpy as np

from facetwise import Explanation, Status


def explanation(values, data=None, **changes):
    """A certified explanation with these weights, rows alike in everything else."""
    values = np.array(values, dtype=float)
    n, d = values.shape
    usual = {
        "values": values,
        "base_values": np.full(n, 0.5),
        "base_bound": np.full(n, 1e-9),
        "error_bound": np.full((n, d), 2e-9),
        "scaled_bound": np.full(n, 1e-9),
        "status": np.array([Status.CERTIFIED] * n, dtype=object),
        "contrast": np.full(n, -1),
        "target": np.full(n, 2),
        "pairwise": np.full((n, 3, d), np.nan),
        "pairwise_base": np.full((n, 3), np.nan),
        "pairwise_bound": np.full((n, 3), np.nan),
        "pairwise_status": np.array([[Status.CERTIFIED] * 3] * n, dtype=object),
        "radius": np.full(n, 0.1),
        "floor": np.full(n, 1e-12),
        "queries": np.full(n, 20),
        "designs": np.full(n, 1),
        "data": np.ones((n, d)) if data is None else np.array(data, dtype=float),
        "feature_names": None,
        "class_names": None,
        "meta": {"response": "probabilities"},
    }
    if "status" in changes:
        changes["status"] = np.array(changes["status"], dtype=object)
    return Explanation(**{**usual, **changes})


def without(status, **changes):
    """A row without weights, for this reason."""
    nothing = {
        "base_values": np.array([np.nan]),
        "error_bound": np.full((1, 3), np.nan),
    }
    return explanation([[np.nan] * 3], status=[status], **nothing, **changes)
