"""What the paper lacks: questions and seconds of each method, for an instance."""

from __future__ import annotations

from typing import Any

from facetwise.reproduce.figures.style import line, panels
from facetwise.reproduce.methods import ENTRANTS
from facetwise.reproduce.table import Table


def draw(table: Table) -> Any:
    """Mean questions against mean seconds, both in powers of ten."""
    whole, cells = panels(table)
    for cell, (axis,) in cells:
        for entrant in ENTRANTS.values():
            questions, seconds = (
                cell.mean(entrant.method, measure, entrant.setting)
                for measure in ("questions", "seconds")
            )
            if questions > 0.0 and seconds > 0.0:
                axis.plot([questions], [seconds], **line(entrant), markersize=7)
                if entrant.setting in ("", "1e-4"):
                    axis.annotate(
                        entrant.method,
                        (questions, seconds),
                        xytext=(6, 3),
                        textcoords="offset points",
                        fontsize=7,
                    )
        if axis.lines:
            axis.set_xscale("log")
            axis.set_yscale("log")
        axis.set_xlabel("questions for an instance", fontsize=8)
        axis.set_ylabel("seconds", fontsize=8)
    return whole
