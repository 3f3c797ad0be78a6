"""Figure 3: without signs, Saliency Maps move predictions least."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.claims.effect import MEASURES, PAPERS, effects
from facetwise.reproduce.table import Cell


def _judge(cell: Cell) -> Iterator[Finding]:
    for measure in MEASURES:
        if found := effects(cell, measure):
            worst = min(found, key=found.__getitem__) == "saliency"
            yield Finding(cell.name, f"{measure}: {told(found)}", worst)


CLAIM = Claim(
    name="saliency-worst",
    place="Figure 3",
    statement='"Saliency Maps performs worst among all methods."',
    rule="Its mean CPP and NLCI over 200 altered features are the lowest.",
    methods=PAPERS,
    judge=by_cell(_judge),
)
