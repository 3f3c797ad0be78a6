"""Not in the paper: every weight that facetwise certifies is within its bound."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.table import Cell


def _judge(cell: Cell) -> Iterator[Finding]:
    within = cell.of("facetwise", "within")
    if within.size:
        outside = int((within == 0.0).sum())
        share = cell.mean("facetwise", "certified")
        figures = (
            f"{outside} of {within.size} outside their bound, {share:.1%} certified"
        )
        yield Finding(cell.name, figures, outside == 0)


CLAIM = Claim(
    name="bounds-hold",
    place="Ours",
    statement="What facetwise certifies is within its bound of the truth.",
    rule="No certified instance has a weight outside its bound.",
    methods=("facetwise",),
    judge=by_cell(_judge),
)
