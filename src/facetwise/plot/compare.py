"""Two rows, or one row by two methods, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.errors import InputError
from facetwise.explanation import Explanation, labels
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
)
from facetwise.plot.effects import TOLD, Effects, Measure, effects, only_row, strongest

SIDES = (-0.2, 0.2)
"""Where the two bars of a feature are, from the middle of its line."""

FAINT = 0.45
"""How opaque the second bar of each pair is."""


def compare(
    first: Explanation,
    second: Explanation,
    *,
    names: tuple[str, str] = ("first", "second"),
    max_display: int = 10,
    measure: Measure = "part",
    ax: Any = None,
    show: bool = False,
) -> Any:
    """Draw the features of two explanations of one row each, in pairs of bars.

    The second bar of each pair is the fainter one. Both have to be of the same
    features. `names` are what the two are called; the rest is as in `bar`.
    """
    for explanation in (first, second):
        only_row(explanation, "compare")
    if labels(first) != labels(second):
        raise InputError(
            "compare needs two explanations of the same features; got "
            f"{len(labels(first))} and {len(labels(second))}, or other names."
        )
    pair = [effects(explanation, measure) for explanation in (first, second)]
    order = strongest(_larger(*pair), max_display)
    ax = axes(ax, 6.4, 1.4 + 0.42 * len(order))
    largest = max(float(np.nanmax(np.abs(e.values[0][order]))) for e in pair)
    for k, explanation in enumerate((first, second)):
        widths, bounds = pair[k].values[0][order], pair[k].bounds[0][order]
        at = np.arange(len(order), dtype=np.float64) + SIDES[k]
        sure = bool(explanation.certified[0])
        label = f"{names[k]}: {question(explanation, 0)}"
        drawn = bars(ax, at, widths, height=0.36, certified=sure, label=label)
        for patch in drawn if k else ():
            patch.set_alpha(FAINT)
        whiskers(ax, at, widths, bounds, largest)
    ax.axvline(0.0, color=QUIET, linewidth=0.8)
    name_lines(ax, names_of(first, order))
    titled(ax, "", TOLD[measure])
    _legend(ax)
    return finished(ax, show)


def _larger(first: Effects, second: Effects) -> Any:
    """The larger size (d,) of two effects; NaN where a feature is frozen in both."""
    return np.fmax(np.abs(first.values[0]), np.abs(second.values[0]))


def _legend(ax: Any) -> None:
    legend = ax.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)
