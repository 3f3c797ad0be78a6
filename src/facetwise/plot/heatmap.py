"""The weights of an image, pixel by pixel."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.errors import InputError
from facetwise.explanation import Explanation
from facetwise.extras import extra
from facetwise.plot.canvas import LOWERS, RAISES, axes, finished, question, titled
from facetwise.plot.effects import Measure, effects, only_row


def heatmap(
    explanation: Explanation,
    image_shape: tuple[int, ...],
    *,
    measure: Measure = "unit",
    ax: Any = None,
    show: bool = False,
) -> Any:
    """Draw the weights of one image: red raises the score, blue lowers it.

    `image_shape` is (height, width) or (height, width, channels); channels are added
    up. Frozen pixels are left white. `measure` is as in `bar`, `ax` are axes of
    matplotlib to draw on, `show` is whether to show the picture at once.
    """
    only_row(explanation, "heatmap")
    d, shape = explanation.values.shape[1], tuple(image_shape)
    if len(shape) not in (2, 3) or min(shape) < 1 or np.prod(shape) != d:
        raise InputError(
            f"image_shape needs (height, width) or (height, width, channels) that "
            f"multiply to the {d} features; got {image_shape!r}."
        )
    weights = effects(explanation, measure).values[0].reshape(*shape[:2], -1)
    seen = np.isfinite(weights).any(axis=2)
    pixels = np.where(seen, np.nan_to_num(weights).sum(axis=2), np.nan)
    most = float(np.nanmax(np.abs(pixels))) or 1.0
    colours = extra("plot", "matplotlib.colors")
    red_blue = colours.LinearSegmentedColormap.from_list(
        "lowers to raises", [LOWERS, "white", RAISES]
    )
    ax = axes(ax, 4.2, 4.0)
    drawn = ax.imshow(pixels, cmap=red_blue, vmin=-most, vmax=most)
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(True)
    if not explanation.certified[0]:
        ax.spines[:].set(linestyle="--", linewidth=2.0)
    ax.figure.colorbar(drawn, ax=ax, shrink=0.8)
    titled(ax, question(explanation, 0), "")
    return finished(ax, show)
