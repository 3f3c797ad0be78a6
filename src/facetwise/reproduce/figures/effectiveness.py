"""Figure 3: what altering the features that weigh most does, CPP and NLCI."""

from __future__ import annotations

from typing import Any

from facetwise.reproduce.figures.style import NAMES, legend, line, panels
from facetwise.reproduce.methods import EFFECT, measuring
from facetwise.reproduce.table import Table

EVERY = 20
"""Altered features from one marker to the next."""


def draw(table: Table) -> Any:
    """The means of CPP above, the counts of NLCI below."""
    whole, cells = panels(table, rows=2)
    for cell, axes in cells:
        for measure, axis in zip(("CPP", "NLCI"), axes, strict=True):
            for shift, entrant in enumerate(measuring(EFFECT)):
                curve = cell.curve(entrant.method, measure)
                if curve.size:
                    every = (3 * shift % EVERY, EVERY)
                    look = {**line(entrant), "markevery": every, "markersize": 6}
                    axis.plot(curve, **look, lw=1.2, label=NAMES[entrant.method])
            axis.set_xlabel("altered features", fontsize=8)
            axis.set_ylabel(measure, fontsize=8)
            if measure == "NLCI":
                axis.yaxis.get_major_locator().set_params(integer=True)
    legend(whole, axes[0])
    return whole
