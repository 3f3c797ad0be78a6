"""Which features drive a class, over all rows that explain it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.explanation import Explanation
from facetwise.plot.canvas import (
    LOWERS,
    QUIET,
    RAISES,
    axes,
    class_name,
    finished,
    name_lines,
    names_of,
    titled,
)
from facetwise.plot.effects import TOLD, Measure, effects, strongest


def summary(
    explanation: Explanation,
    *,
    max_display: int = 10,
    measure: Measure = "part",
    ax: Any = None,
    show: bool = False,
) -> Any:
    """Draw a dot for each row and feature, for the class that most rows explain.

    Weights of different classes do not compare, so the others are left out, and the
    title says how many rows there are. For another class choose its rows, as in
    `summary(explanation[explanation.target == 2])`. Hollow dots are not certified.
    The other parameters are as in `bar`.
    """
    (target, contrast), _ = Counter(
        zip(explanation.target.tolist(), explanation.contrast.tolist(), strict=True)
    ).most_common(1)[0]
    chosen = explanation[
        (explanation.target == target) & (explanation.contrast == contrast)
    ]
    values = effects(chosen, measure).values
    sizes = np.abs(values[np.isfinite(values).any(axis=1)]).mean(axis=0)
    order = strongest(sizes, max_display)
    ax = axes(ax, 6.4, 1.4 + 0.36 * len(order))
    ax.axvline(0.0, color=QUIET, linewidth=0.8, zorder=0)
    for line, j in enumerate(order):
        _dots(ax, line, values[:, j], chosen.certified)
    name_lines(ax, names_of(chosen, order))
    rival = f", not {class_name(chosen, contrast)}" if contrast >= 0 else ""
    rows = f"{len(chosen)} of {len(explanation)} rows"
    titled(ax, f"{class_name(chosen, target)}{rival}: {rows}", TOLD[measure])
    return finished(ax, show)


def _dots(ax: Any, line: int, values: Floats, sure: Any) -> None:
    colours = np.select([values > 0, values < 0], [RAISES, LOWERS], QUIET)
    # Spread by a fixed pattern, so that the same rows make the same picture.
    up = line + 0.22 * np.sin(2.4 * np.arange(len(values)))
    style = {"s": 14, "linewidths": 0.9, "alpha": 0.75}
    ax.scatter(values[sure], up[sure], c=colours[sure], edgecolors="none", **style)
    ax.scatter(
        *(values[~sure], up[~sure]),
        facecolors="none",
        edgecolors=colours[~sure],
        **style,
    )
