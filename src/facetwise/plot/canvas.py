"""Axes to draw on, and what all pictures have in common: colours, names, bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.explanation import Explanation, class_labels, labels, shown
from facetwise.extras import extra
from facetwise.markup import legible

RAISES, LOWERS = "#c82d42", "#2468be"
QUIET = "#5b6572"

LONGEST = 32
"""Characters of a name that are shown."""

VISIBLE = 0.005
"""Bounds below this share of the longest bar would be a mere dot."""


def axes(ax: Any, width: float, height: float) -> Any:
    """The axes given, or new ones of this size in inches, plain ones."""
    if ax is None:
        pyplot = extra("plot", "matplotlib.pyplot")
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.use_sticky_edges = False  # bars do not end at the edge of the picture
    return ax


def finished(ax: Any, show: bool) -> Any:
    """The axes, after showing them if that is wanted."""
    if show:
        extra("plot", "matplotlib.pyplot").show()
    return ax


def short(text: object) -> str:
    """A name that fits beside a bar."""
    name = legible(text)
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def number(value: float) -> str:
    """A number of few digits, with a minus sign that is one."""
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def class_name(explanation: Explanation, index: int) -> str:
    """The name of a class that fits in a title."""
    return short(class_labels(explanation)[index])


def question(explanation: Explanation, i: int) -> str:
    """What a row's weights explain, and how sure they are if they are not certified."""
    target, rival = explanation.target[i], explanation.contrast[i]
    text = class_name(explanation, target)
    if rival >= 0:
        text += f", not {class_name(explanation, rival)}"
    if explanation.certified[i]:
        return text
    return f"{text} (not certified: {explanation.status[i].title.lower()})"


def with_values(explanation: Explanation, i: int, features: Ints) -> list[str]:
    """Names of features, and what each is in a row."""
    names, values = labels(explanation), shown(explanation)[i]
    return [f"{short(names[j])} = {_value(values[j])}" for j in features]


def names_of(explanation: Explanation, features: Ints) -> list[str]:
    """Names of features that fit beside a bar."""
    names = labels(explanation)
    return [short(names[j]) for j in features]


def name_lines(ax: Any, names: list[str]) -> None:
    """Names beside bars, the first on top; none of them is mathematics."""
    ax.set_yticks(np.arange(len(names)), names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def titled(ax: Any, title: str, score: str) -> None:
    """A title, and what the horizontal axis counts."""
    ax.set_title(title, loc="left", fontsize="medium", parse_math=False)
    ax.set_xlabel(score)


def bars(
    ax: Any,
    at: Floats,
    widths: Floats,
    *,
    height: float,
    certified: bool,
    left: Floats | float = 0.0,
    label: str | None = None,
) -> Any:
    """Horizontal bars, coloured by sign; hatched where they are not certified."""
    colours = [RAISES if width > 0 else LOWERS for width in widths]
    drawn = ax.barh(at, widths, height, left, color=colours, label=label)
    if not certified:
        for patch, colour in zip(drawn, colours, strict=True):
            patch.set(facecolor="none", edgecolor=colour, hatch="////", linestyle="--")
    return drawn


def whiskers(ax: Any, at: Floats, ends: Floats, bounds: Floats, largest: float) -> None:
    """Bounds as error bars, where they can be seen."""
    seen = bounds > VISIBLE * largest
    if seen.any():
        ax.errorbar(
            *(ends[seen], at[seen]),
            xerr=bounds[seen],
            fmt="none",
            ecolor="black",
            elinewidth=1.2,
            capsize=2.5,
        )


def _value(value: object) -> str:
    return number(value) if isinstance(value, float) else short(value)
