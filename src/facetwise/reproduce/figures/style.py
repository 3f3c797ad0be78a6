"""How all figures look: one colour and one marker a method, panels as in the paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from facetwise.extras import extra
from facetwise.reproduce.methods import Entrant
from facetwise.reproduce.table import Cell, Table

COLOURS = {
    "facetwise": "#111111",
    "algorithm 1": "#d62728",
    "naive": "#c05bb0",
    "zoo": "#b8860b",
    "linear lime": "#17a2b8",
    "ridge lime": "#2ca02c",
    "saliency": "#e377c2",
    "gradient input": "#e68a00",
    "integrated gradients": "#1f4fd8",
    "lime": "#17a2b8",
}

MARKERS = {
    "facetwise": "*",
    "algorithm 1": "o",
    "naive": "X",
    "zoo": "P",
    "linear lime": "s",
    "ridge lime": "v",
    "saliency": "P",
    "gradient input": "D",
    "integrated gradients": "X",
    "lime": "s",
}

NAMES = {
    "facetwise": "facetwise (FW)",
    "algorithm 1": "OpenAPI, algorithm 1 (OA)",
    "naive": "naive (N)",
    "zoo": "ZOO (Z)",
    "linear lime": "Linear Regression LIME (L)",
    "ridge lime": "Ridge Regression LIME (R)",
    "saliency": "Saliency (S)",
    "gradient input": "Gradient * Input (G)",
    "integrated gradients": "Integrated Gradients (I)",
    "lime": "LIME (L)",
}

PANEL = 4.6, 2.7
"""Inches of a panel, width and height."""

COLUMNS = 2


def line(entrant: Entrant) -> dict[str, Any]:
    """Colour and marker of a method, as keywords of matplotlib."""
    return {
        "color": COLOURS[entrant.method],
        "marker": MARKERS[entrant.method],
        "markerfacecolor": "none",
    }


def figure(width: float, height: float) -> Any:
    """An empty figure, which needs no display."""
    return extra("paper", "matplotlib.figure").Figure(
        figsize=(width, height), layout="constrained"
    )


def panels(table: Table, rows: int = 1) -> tuple[Any, Iterator[tuple[Cell, list[Any]]]]:
    """A figure with `rows` panels for each cell, two cells side by side.

    Cells come with their axes, each with the cell's name above it.
    """
    lines = -(-len(table.cells) // COLUMNS)
    columns = min(COLUMNS, len(table.cells))
    whole = figure(PANEL[0] * columns, PANEL[1] * lines * rows + 0.5)
    grid = whole.subplots(lines * rows, columns, squeeze=False)

    def filled() -> Iterator[tuple[Cell, list[Any]]]:
        for k, cell in enumerate(table.cells):
            line_, column = divmod(k, COLUMNS)
            axes = [grid[row * lines + line_, column] for row in range(rows)]
            for axis in axes:
                axis.set_title(cell.name, fontsize=9)
                axis.tick_params(labelsize=8)
            yield cell, axes
        for k in range(len(table.cells), lines * columns):
            for row in range(rows):
                line_, column = divmod(k, COLUMNS)
                grid[row * lines + line_, column].set_axis_off()

    return whole, filled()


def legend(whole: Any, axis: Any, columns: int = 3) -> None:
    """One legend for all panels, above them."""
    handles, labels = axis.get_legend_handles_labels()
    whole.legend(handles, labels, loc="outside upper center", ncols=columns, fontsize=8)
