"""What the paper lacks: the bounds that facetwise gives, beside its true errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.reproduce.figures.style import COLOURS, panels
from facetwise.reproduce.table import Table

FAINTEST = 1e-18
"""Where an error of exactly zero is drawn on a scale of powers of ten."""


def draw(table: Table) -> Any:
    """A point for each certified instance; on the line, error and bound are equal."""
    whole, cells = panels(table)
    for cell, (axis,) in cells:
        certified = cell.of("facetwise", "certified") == 1.0
        bound = cell.of("facetwise", "bound")[certified]
        error = np.maximum(cell.of("facetwise", "error")[certified], FAINTEST)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel("bound", fontsize=8)
        axis.set_ylabel("true error", fontsize=8)
        if not bound.size:
            continue
        look = {"color": COLOURS["facetwise"], "s": 8, "alpha": 0.5}
        axis.scatter(bound, error, **look)
        ends = [min(bound.min(), error.min()), max(bound.max(), error.max())]
        axis.plot(ends, ends, color=COLOURS["algorithm 1"], lw=1)
        share = f"{certified.mean():.1%} of {len(certified)} certified"
        axis.annotate(share, (0.03, 0.92), xycoords="axes fraction", fontsize=8)
    return whole
