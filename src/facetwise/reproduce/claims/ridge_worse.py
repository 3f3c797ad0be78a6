"""Figure 7: a ridge is far from the truth, and a regression without one is not."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.methods import DISTANCES
from facetwise.reproduce.table import Cell

METHODS = ("linear lime", "ridge lime")


def _judge(cell: Cell) -> Iterator[Finding]:
    for h in DISTANCES:
        means = {method: cell.mean(method, "L1Dist", h) for method in METHODS}
        linear, ridge = means.values()
        if linear == linear and ridge == ridge:
            yield Finding(cell.name, f"h = {h}: {told(means)}", linear < ridge)


CLAIM = Claim(
    name="ridge-worse",
    place="Figure 7",
    statement=(
        "The L1Dist of Ridge Regression LIME is large; Linear Regression LIME performs "
        "much better."
    ),
    rule="At each h, the mean L1Dist of the linear regression is lower.",
    methods=METHODS,
    judge=by_cell(_judge),
)
