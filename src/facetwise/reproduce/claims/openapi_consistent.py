"""Figure 4: Algorithm 1 explains neighbours most alike."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.claims.effect import PAPERS, RIVALS
from facetwise.reproduce.table import Cell


def _judge(cell: Cell) -> Iterator[Finding]:
    if all(cell.of(method, "cosine similarity").size for method in PAPERS):
        means = {method: cell.mean(method, "cosine similarity") for method in PAPERS}
        best = all(means["algorithm 1"] > means[method] for method in RIVALS)
        yield Finding(cell.name, told(means), best)


CLAIM = Claim(
    name="openapi-consistent",
    place="Figure 4",
    statement="The CS of OpenAPI is better than all other methods on all models.",
    rule="Its mean cosine similarity is above that of every other method.",
    methods=PAPERS,
    judge=by_cell(_judge),
)
