"""How far the values of a feature usually lie apart: what its scale is taken from."""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats


def spread(rows: Floats) -> Floats:
    """The range (d,) of the middle half of the values, or the next best, above 0."""
    low, high = np.percentile(rows, [25.0, 75.0], axis=0)
    found = np.where(high > low, high - low, rows.std(axis=0))
    return np.where(rows.min(axis=0) < rows.max(axis=0), found, 1.0)
