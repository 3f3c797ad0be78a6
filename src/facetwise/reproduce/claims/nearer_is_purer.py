"""Figure 5: the nearer the probes, the more of them are in the region."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell, told
from facetwise.reproduce.methods import DISTANCES
from facetwise.reproduce.table import Cell

METHODS = ("naive", "zoo", "linear lime", "ridge lime")


def _judge(cell: Cell) -> Iterator[Finding]:
    for method in METHODS:
        means = {h: cell.mean(method, "RD", h) for h in DISTANCES}
        far, near, nearest = means.values()
        if far == far:  # and not NaN, which is what was not measured
            holds = far >= near >= nearest == 0.0
            yield Finding(cell.name, f"{method}: {told(means)}", holds)


CLAIM = Claim(
    name="nearer-is-purer",
    place="Figure 5",
    statement="The RD of the baselines increases with h, and is 0 when h is small.",
    rule="Mean RD does not fall from h = 1e-8 to 1e-4 to 1e-2, and is 0 at 1e-8.",
    methods=METHODS,
    judge=by_cell(_judge),
)
