"""Table 2: how many iterations Algorithm 1 needs."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.table import Cell

PAPER = {
    ("fashion-mnist", "lmt"): 6.0,
    ("fashion-mnist", "plnn"): 10.3,
    ("mnist", "lmt"): 8.6,
    ("mnist", "plnn"): 10.8,
}

NEAR = 1.5
"""Halvings of the hypercube: the models are not the paper's own."""


def _judge(cell: Cell) -> Iterator[Finding]:
    if cell.of("algorithm 1", "iterations").size:
        mean, paper = (
            cell.mean("algorithm 1", "iterations"),
            PAPER[cell.data_set, cell.model],
        )
        figures = f"{mean:.1f} iterations in the mean, the paper's {paper:.1f}"
        yield Finding(cell.name, figures, abs(mean - paper) <= NEAR)


CLAIM = Claim(
    name="iterations",
    place="Table 2",
    statement=(
        "Algorithm 1 needs 6.0 (LMT) and 10.3 (PLNN) iterations on FMNIST, 8.6 and "
        "10.8 on MNIST."
    ),
    rule=f"Our mean is within {NEAR} of the paper's.",
    methods=("algorithm 1",),
    judge=by_cell(_judge),
)
