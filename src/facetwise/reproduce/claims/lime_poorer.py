"""Figure 3: LIME moves predictions less than most methods that see parameters."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.claims.effect import MEASURES, PAPERS, effects
from facetwise.reproduce.table import Cell

GRADIENTS = ("saliency", "gradient input", "integrated gradients")


def _judge(cell: Cell) -> Iterator[Finding]:
    for measure in MEASURES:
        if found := effects(cell, measure):
            better = sum(found[method] > found["lime"] for method in GRADIENTS)
            yield Finding(cell.name, f"{measure}: {told(found)}", better >= 2)


CLAIM = Claim(
    name="lime-poorer",
    place="Figure 3",
    statement="LIME performs poorer than most of the gradient-based methods.",
    rule="At least two of the three have a higher mean over 200 altered features.",
    methods=PAPERS,
    judge=by_cell(_judge),
)
