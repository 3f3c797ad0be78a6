"""The features of a row, or of all rows together, as bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.explanation import Explanation
from facetwise.plot.canvas import (
    QUIET,
    axes,
    bars,
    finished,
    name_lines,
    names_of,
    question,
    titled,
    whiskers,
    with_values,
)
from facetwise.plot.effects import TOLD, Measure, effects, strongest


def bar(
    explanation: Explanation,
    *,
    max_display: int = 10,
    measure: Measure = "part",
    ax: Any = None,
    show: bool = False,
) -> Any:
    """Draw how much each feature counts: for one row with its sign, else on average.

    Several rows are shown by the mean size of each effect, over those that are
    certified if there are any.

    Parameters
    ----------
    explanation
        What to draw.
    max_display
        How many features, the strongest first.
    measure
        "part": weight times value, what the feature adds to the score; "step": weight
        times a typical step of the feature; "unit": the weight itself.
    ax
        Axes of matplotlib to draw on; new ones by default.
    show
        Whether to show the picture at once.
    """
    if len(explanation) == 1:
        ax = _one_row(explanation, max_display, measure, ax)
    else:
        ax = _all_rows(explanation, max_display, measure, ax)
    return finished(ax, show)


def _one_row(explanation: Explanation, most: int, measure: Measure, ax: Any) -> Any:
    found = effects(explanation, measure)
    widths, bounds = found.values[0], found.bounds[0]
    order = strongest(np.abs(widths), most)
    ax = axes(ax, 6.4, 1.2 + 0.32 * len(order))
    at = np.arange(len(order), dtype=float)
    bars(ax, at, widths[order], height=0.7, certified=bool(explanation.certified[0]))
    largest = float(np.abs(widths[order]).max())
    whiskers(ax, at, widths[order], bounds[order], largest)
    ax.axvline(0.0, color=QUIET, linewidth=0.8)
    name_lines(ax, with_values(explanation, 0, order))
    titled(ax, question(explanation, 0), TOLD[measure])
    return ax


def _all_rows(explanation: Explanation, most: int, measure: Measure, ax: Any) -> Any:
    found, sure = effects(explanation, measure), explanation.certified
    rows = sure if sure.any() else np.isfinite(found.values).any(axis=1)
    sizes = np.abs(found.values[rows]).mean(axis=0)
    order = strongest(sizes, most)
    ax = axes(ax, 6.4, 1.2 + 0.32 * len(order))
    drawn = ax.barh(np.arange(len(order)), sizes[order], 0.7, color=QUIET)
    if not sure.any():
        for patch in drawn:
            patch.set(facecolor="none", edgecolor=QUIET, hatch="////", linestyle="--")
    name_lines(ax, names_of(explanation, order))
    kind = "certified" if sure.any() else "not certified"
    titled(ax, f"{rows.sum()} rows, {kind}", f"mean size of {TOLD[measure]}")
    return ax
