"""Figure 7: a baseline is off when h is too large, and again when it is tiny."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.methods import DISTANCES
from facetwise.reproduce.table import Cell

METHODS = ("naive", "zoo", "linear lime")


def _judge(cell: Cell) -> Iterator[Finding]:
    for method in METHODS:
        found = {h: cell.of(method, "L1Dist", h) for h in DISTANCES}
        if all(np.isfinite(values).any() for values in found.values()):
            medians = {h: float(np.nanmedian(values)) for h, values in found.items()}
            far, near, nearest = medians.values()
            holds = near < far and near < nearest
            yield Finding(cell.name, f"{method}: medians {told(medians)}", holds)


CLAIM = Claim(
    name="critical-distance",
    place="Figure 7",
    statement=(
        "The L1Dist of the other baselines increases when h is above a critical value, "
        "and again when h becomes extremely small."
    ),
    rule="The median L1Dist at h = 1e-4 is below those at 1e-2 and at 1e-8.",
    methods=METHODS,
    judge=by_cell(_judge),
)
