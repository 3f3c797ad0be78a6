"""Figure 4: of those that see parameters, Integrated Gradients is most consistent."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.table import Cell

METHODS = ("integrated gradients", "saliency", "gradient input")


def _judge(cell: Cell) -> Iterator[Finding]:
    if all(cell.of(method, "cosine similarity").size for method in METHODS):
        means = {method: cell.mean(method, "cosine similarity") for method in METHODS}
        best = max(means, key=means.__getitem__) == METHODS[0]
        yield Finding(cell.name, told(means), best)


CLAIM = Claim(
    name="integrated-consistent",
    place="Figure 4",
    statement=(
        "Integrated Gradient is more consistent than the other two gradient-based "
        "methods."
    ),
    rule="Its mean cosine similarity is above that of both.",
    methods=METHODS,
    judge=by_cell(_judge),
)
