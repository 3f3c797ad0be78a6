"""How much of an effect the methods of figure 3 have, in one number each."""

from __future__ import annotations

from facetwise.reproduce.table import Cell

RIVALS = ("saliency", "gradient input", "integrated gradients", "lime")
PAPERS = ("algorithm 1", *RIVALS)
"""The methods of the paper's figure 3."""

MEASURES = ("CPP", "NLCI")


def effects(cell: Cell, measure: str) -> dict[str, float]:
    """The mean of a curve over 200 altered features, if all methods have one."""
    curves = {method: cell.curve(method, measure) for method in PAPERS}
    if not all(curve.size for curve in curves.values()):
        return {}
    return {method: float(curve[1:].mean()) for method, curve in curves.items()}
