"""Figures 5 and 6: all probes of Algorithm 1 are in the region."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.table import Cell

METHODS = ("algorithm 1", "facetwise")

MEASURES = ("RD", "WD", "left out")


def _judge(cell: Cell) -> Iterator[Finding]:
    for method in METHODS:
        if cell.of(method, "RD").size:
            means = {name: cell.mean(method, name) for name in MEASURES}
            holds = means["RD"] == means["WD"] == 0.0
            yield Finding(cell.name, f"{method}: {told(means)}", holds)


CLAIM = Claim(
    name="openapi-pure",
    place="Figures 5 and 6",
    statement="The average RD and WD of OpenAPI are 0 on all data sets.",
    rule=(
        "Both means are exactly 0, for Algorithm 1 and for facetwise, of the probes "
        "that the answer rests on: facetwise names those that strayed, and leaves them "
        "out."
    ),
    methods=METHODS,
    judge=by_cell(_judge),
)
