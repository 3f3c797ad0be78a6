"""Figure 2: averaged images of classes, and their averaged decision features."""

from __future__ import annotations

from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.reproduce.figures.style import figure
from facetwise.reproduce.gather import AVERAGED, IMAGES, SHOWN
from facetwise.reproduce.table import Cell, Table

SIDE = 1.15
"""Inches of an image."""

STRONG = 99.5
"""Percentile of the absolute weights that is drawn in full colour."""

SIGNS = {"facetwise": "FW", "algorithm 1": "OA"}


def draw(table: Table, data_set: str) -> Any:
    """Red supports the class, blue opposes it; white is zero."""
    cells = [cell for cell in table.cells if cell.data_set == data_set]
    rows = [("images", cells[0].groups(IMAGES))]
    rows += [
        (f"{cell.model.upper()}, {SIGNS[method]}", cell.groups(method))
        for method in reversed(AVERAGED)
        for cell in cells
    ]
    rows = [(told, groups) for told, groups in rows if groups]
    classes = SHOWN[data_set]
    whole = figure(SIDE * len(classes) + 0.9, SIDE * len(rows) + 0.4)
    grid = whole.subplots(len(rows), len(classes), squeeze=False)
    for (told, groups), axes in zip(rows, grid, strict=True):
        axes[0].set_ylabel(told, fontsize=8)
        for name, axis in zip(classes, axes, strict=True):
            axis.set_xticks([])
            axis.set_yticks([])
            if name in groups:
                _image(axis, groups[name], grey=told == "images")
    for name, axis in zip(classes, grid[0], strict=True):
        axis.set_title(name, fontsize=9)
    return whole


def drawable(cells: list[Cell]) -> bool:
    """Whether there is anything to draw."""
    return any(cell.groups(method) for cell in cells for method in AVERAGED)


def _image(axis: Any, pixels: Floats, grey: bool) -> None:
    side = round(np.sqrt(len(pixels)))
    image = pixels.reshape(side, side)
    if grey:
        axis.imshow(image, cmap="gray", vmin=0.0, vmax=1.0)
        return
    most = float(np.percentile(np.abs(pixels), STRONG)) or 1.0
    axis.imshow(image, cmap="bwr", vmin=-most, vmax=most)
