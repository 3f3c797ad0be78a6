"""Section IV: Algorithm 1 always ends, and soon."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.table import Cell

MOST = 20


def _judge(cell: Cell) -> Iterator[Finding]:
    iterations = cell.of("algorithm 1", "iterations")
    if iterations.size:
        lost = int((cell.of("algorithm 1", "answered") == 0.0).sum())
        figures = (
            f"at most {iterations.max():.0f} iterations, {lost} of {iterations.size} "
            "without an answer"
        )
        yield Finding(cell.name, figures, iterations.max() < MOST and not lost)


CLAIM = Claim(
    name="termination",
    place="Section IV",
    statement='Algorithm 1 "always terminates in less than 20 iterations".',
    rule=f"Every instance has an answer after fewer than {MOST} iterations.",
    methods=("algorithm 1",),
    judge=by_cell(_judge),
)
