"""Figure 3: Algorithm 1 moves predictions most, most of the time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.claims.effect import MEASURES, PAPERS, RIVALS, effects
from facetwise.reproduce.table import Cell


def _judge(cell: Cell) -> Iterator[Finding]:
    for measure in MEASURES:
        if effects(cell, measure):
            rivals = np.max([cell.curve(m, measure)[1:] for m in RIVALS], axis=0)
            ahead = float(np.mean(cell.curve("algorithm 1", measure)[1:] >= rivals))
            figures = f"{measure}: ahead of all others, or equal, at {ahead:.0%}"
            yield Finding(cell.name, figures, ahead > 0.5)


CLAIM = Claim(
    name="openapi-effective",
    place="Figure 3",
    statement="OpenAPI outperforms the other methods most of the time.",
    rule="Its curve is not below any other at more than half of the 200 features.",
    methods=PAPERS,
    judge=by_cell(_judge),
)
