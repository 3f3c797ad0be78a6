"""How far are the weights from the truth? L1Dist."""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats
from facetwise.errors import InputError


def l1_distance(values: Floats, truth: Floats) -> Floats:
    """L1Dist (n,): the sum of the absolute errors of weights (n, d)."""
    if values.shape != truth.shape or values.ndim != 2:
        raise InputError(
            f"l1_distance needs rows that pair up; got {values.shape} and "
            f"{truth.shape}."
        )
    distances: Floats = np.abs(values - truth).sum(axis=1)
    return distances
