"""What the paper lacks: questions and seconds of each method, for an instance."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.reproduce.figures.style import line, panels
from facetwise.reproduce.methods import ENTRANTS, Entrant
from facetwise.reproduce.table import Cell, Table

SHOWN = ("", "a solve for each pair", "1e-4")
"""Settings that are drawn: what a method costs hardly depends on h."""

ROUND = 100.0
"""Numbers from here on are shown without decimals."""

UNITS = ("questions", "seconds")


def draw(table: Table) -> Any:
    """Means, in powers of ten: questions above, seconds below."""
    whole, cells = panels(table, rows=len(UNITS))
    for cell, axes in cells:
        for unit, axis in zip(UNITS, axes, strict=True):
            columns = _columns(cell, unit)
            for k, (entrant, mean) in enumerate(columns):
                axis.plot([k], [mean], **line(entrant), ls="", markersize=8)
                axis.annotate(
                    f"{mean:,.0f}" if mean >= ROUND else f"{mean:.2g}",
                    (k, mean),
                    xytext=(0, 6),
                    textcoords="offset points",
                    ha="center",
                    fontsize=6.5,
                )
            names = [_name(entrant) for entrant, _ in columns]
            axis.set_xticks(range(len(names)), names, rotation=40, ha="right")
            axis.tick_params(labelsize=7)
            axis.set_xlim(-0.6, len(names) - 0.4)
            axis.margins(y=0.2)
            if columns:
                axis.set_yscale("log")
            axis.set_ylabel(f"{unit} for an instance", fontsize=8)
    return whole


def _columns(cell: Cell, unit: str) -> list[tuple[Entrant, float]]:
    """Methods with a mean above zero, which alone has a place on the scale."""
    means = [
        (entrant, cell.mean(entrant.method, unit, entrant.setting))
        for entrant in ENTRANTS.values()
        if entrant.setting in SHOWN
    ]
    return [(e, mean) for e, mean in means if np.isfinite(mean) and mean > 0.0]


def _name(entrant: Entrant) -> str:
    apart = entrant.setting == SHOWN[1]
    return "as published" if apart else entrant.method
