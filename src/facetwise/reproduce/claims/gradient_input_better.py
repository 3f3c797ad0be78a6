"""Figure 3: Gradient × Input moves predictions more than Integrated Gradients."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.claims.effect import MEASURES, PAPERS, effects
from facetwise.reproduce.table import Cell

PAIR = ("gradient input", "integrated gradients")


def _judge(cell: Cell) -> Iterator[Finding]:
    for measure in MEASURES:
        if found := effects(cell, measure):
            pair = {method: found[method] for method in PAIR}
            holds = pair[PAIR[0]] > pair[PAIR[1]]
            yield Finding(cell.name, f"{measure}: {told(pair)}", holds)


CLAIM = Claim(
    name="gradient-input-better",
    place="Figure 3",
    statement=(
        "Gradient * Input captures important features better than Integrated Gradient."
    ),
    rule="Its mean CPP and NLCI over 200 altered features are higher.",
    methods=PAPERS,
    judge=by_cell(_judge),
)
