"""Figures 5 to 7: RD, WD and L1Dist, a column for each method and setting."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.reproduce.figures.style import line, panels
from facetwise.reproduce.methods import EXACT, PROBES, Entrant, measuring
from facetwise.reproduce.table import Cell, Table


def region_difference(table: Table) -> Any:
    """Figure 5: the mean RD, its number on top."""
    whole, cells = panels(table)
    for cell, (axis,) in cells:
        for k, (entrant, values) in enumerate(_columns(cell, PROBES, "RD")):
            mean = values.mean()
            axis.plot([k], [mean], **line(entrant), markersize=9, markeredgewidth=1.6)
            axis.annotate(f"{mean:.3g}", (k, mean + 0.07), ha="center", fontsize=7)
        _ticks(axis, cell, PROBES, "RD")
        axis.set_ylim(-0.1, 1.25)
        axis.set_ylabel("mean RD", fontsize=8)
    return whole


def weight_difference(table: Table) -> Any:
    """Figure 6: the mean WD between its least and its most, the most on top."""
    whole, cells = panels(table)
    for cell, (axis,) in cells:
        for k, (entrant, values) in enumerate(_columns(cell, PROBES, "WD")):
            _bar(axis, k, entrant, values)
            axis.annotate(
                f"{values.max():.3g}",
                (k, values.max()),
                xytext=(0, 4),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
        _ticks(axis, cell, PROBES, "WD")
        axis.margins(y=0.15)
        axis.set_ylabel("WD", fontsize=8)
    return whole


def l1_distance(table: Table) -> Any:
    """Figure 7: the mean L1Dist between its least and its most, in powers of ten."""
    whole, cells = panels(table)
    for cell, (axis,) in cells:
        for k, (entrant, values) in enumerate(_columns(cell, EXACT, "L1Dist")):
            _bar(axis, k, entrant, values)
        _ticks(axis, cell, EXACT, "L1Dist")
        axis.set_yscale("log")
        axis.set_ylabel("L1Dist", fontsize=8)
    return whole


def _columns(cell: Cell, what: str, measure: str) -> list[tuple[Entrant, Floats]]:
    """Methods, and the finite values of the measure, where there are any."""
    found = [(e, cell.of(e.method, measure, e.setting)) for e in measuring(what)]
    finite = [(e, values[np.isfinite(values)]) for e, values in found]
    return [(e, values) for e, values in finite if values.size]


def _bar(axis: Any, k: int, entrant: Entrant, values: Floats) -> None:
    mean = values.mean()
    ends = [[mean - values.min()], [values.max() - mean]]
    axis.errorbar(
        [k], [mean], yerr=ends, **line(entrant), capsize=4, markersize=8, lw=1.4
    )


def _ticks(axis: Any, cell: Cell, what: str, measure: str) -> None:
    labels = [entrant.label for entrant, _ in _columns(cell, what, measure)]
    axis.set_xticks(range(len(labels)), labels, rotation=50, ha="right", fontsize=7)
    axis.set_xlim(-0.6, len(labels) - 0.4)
