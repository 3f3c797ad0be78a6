"""How the features of a row add up to its score."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.errors import InputError
from facetwise.explanation import Explanation
from facetwise.plot.canvas import (
    QUIET,
    axes,
    bars,
    finished,
    name_lines,
    number,
    question,
    titled,
    whiskers,
    with_values,
)
from facetwise.plot.effects import effects, only_row, strongest


def waterfall(
    explanation: Explanation,
    *,
    max_display: int = 10,
    ax: Any = None,
    show: bool = False,
) -> Any:
    """Draw how one row's score comes about: its base, plus weight times value of each.

    Features beyond `max_display` are one bar together. `ax` are axes of matplotlib to
    draw on, `show` is whether to show the picture at once.
    """
    only_row(explanation, "waterfall")
    base = float(explanation.base_values[0])
    if not np.isfinite(base):
        raise InputError(
            f"This row has no base to begin from. It says: {explanation.status[0]}"
        )
    names, steps, bounds = _lines(explanation, max_display)
    # The strongest is on top and comes last: each begins where those below it end.
    begins = base + np.append(np.cumsum(steps[::-1])[::-1][1:], 0.0)
    ends = begins + steps
    ax = axes(ax, 6.4, 1.4 + 0.34 * len(steps))
    at, sure = np.arange(len(steps), dtype=float), bool(explanation.certified[0])
    bars(ax, at, steps, height=0.62, certified=sure, left=begins)
    whiskers(ax, at, ends, bounds, float(np.abs(steps).max()))
    _connect(ax, ends, base)
    name_lines(ax, names)
    regression = explanation.meta.get("response") == Response.REGRESSION
    score = "output" if regression else "log-odds"
    way = f"{score}, from {number(base)} to {number(ends[0])}"
    titled(ax, question(explanation, 0), way)
    return finished(ax, show)


def _lines(explanation: Explanation, most: int) -> tuple[list[str], Floats, Floats]:
    """Names, parts (k,) and bounds (k,): the strongest features, then all the rest."""
    found = effects(explanation, "part")
    parts, bounds = found.values[0], found.bounds[0]
    order = strongest(np.abs(parts), most)
    names = with_values(explanation, 0, order)
    rest = np.setdiff1d(np.flatnonzero(np.isfinite(parts)), order)
    if not rest.size:
        return names, parts[order], bounds[order]
    names.append(f"{rest.size} other feature{'s' if rest.size > 1 else ''}")
    parts = np.append(parts[order], parts[rest].sum())
    return names, parts, np.append(bounds[order], bounds[rest].sum())


def _connect(ax: Any, ends: Floats, base: float) -> None:
    """Thin lines from the base through the ends of all bars to the score."""
    for i in range(1, len(ends)):
        ax.plot([ends[i]] * 2, [i - 0.31, i - 0.69], color=QUIET, linewidth=0.8)
    for x in (base, ends[0]):
        ax.axvline(x, color=QUIET, linewidth=0.8, linestyle=":", zorder=0)
