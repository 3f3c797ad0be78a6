"""Figure 4: how alike an instance and its nearest neighbour are explained."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.reproduce.figures.style import NAMES, legend, line, panels
from facetwise.reproduce.methods import LIKENESS, measuring
from facetwise.reproduce.table import Table

MARKERS_A_CURVE = 12


def draw(table: Table) -> Any:
    """Cosine similarities of each method in descending order."""
    whole, cells = panels(table)
    for cell, (axis,) in cells:
        for shift, entrant in enumerate(measuring(LIKENESS)):
            found = cell.of(entrant.method, "cosine similarity")
            found = -np.sort(-found[np.isfinite(found)])
            if found.size:
                step = max(1, found.size // MARKERS_A_CURVE)
                every = (shift * step // 6, step)
                look = {**line(entrant), "markevery": every, "markersize": 6}
                axis.plot(found, **look, lw=1.2, label=NAMES[entrant.method])
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.set_xlabel("instances, in descending order", fontsize=8)
        axis.set_ylabel("cosine similarity", fontsize=8)
    legend(whole, axis)
    return whole
