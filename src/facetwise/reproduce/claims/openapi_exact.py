"""Figure 7: Algorithm 1 is nearest to the truth."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.methods import ENTRANTS, EXACT
from facetwise.reproduce.table import Cell

OURS = "facetwise"


def _judge(cell: Cell) -> Iterator[Finding]:
    means = {
        entrant.label: cell.mean(entrant.method, "L1Dist", entrant.setting)
        for entrant in ENTRANTS.values()
        if EXACT in entrant.measured and entrant.method != OURS
    }
    published = means.pop("OA")
    measured = {label: mean for label, mean in means.items() if mean == mean}
    if published == published and measured:
        best = min(measured, key=measured.__getitem__)
        figures = (
            f"mean L1Dist {published:.3g}, the best of the others {measured[best]:.3g} "
            f"by {best}; facetwise {cell.mean(OURS, 'L1Dist'):.3g}"
        )
        yield Finding(cell.name, figures, published <= measured[best])


CLAIM = Claim(
    name="openapi-exact",
    place="Figure 7",
    statement="OpenAPI achieves the best L1Dist performance on all data sets.",
    rule="Its mean L1Dist is not above that of any baseline with any h.",
    methods=("algorithm 1", "facetwise", "naive", "zoo", "linear lime", "ridge lime"),
    judge=by_cell(_judge),
)
