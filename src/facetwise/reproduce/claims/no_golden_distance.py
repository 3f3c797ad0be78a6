"""Figure 5: h = 1e-4 is small enough for the tree, and not for the network."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.table import Cell


def _judge(cell: Cell) -> Iterator[Finding]:
    found = cell.of("zoo", "RD", "1e-4")
    if found.size:
        figures = f"mean RD {found.mean():.4g} over {found.size} instances"
        holds = found.any() if cell.model == "plnn" else not found.any()
        yield Finding(cell.name, figures, bool(holds))


CLAIM = Claim(
    name="no-golden-distance",
    place="Figure 5",
    statement=(
        "At h = 1e-4 the RD of ZOO is 0 for LMT, and 0.005 and 0.01 for PLNN on FMNIST "
        "and MNIST."
    ),
    rule="Mean RD is 0 for LMT and above 0 for PLNN.",
    methods=("zoo",),
    judge=by_cell(_judge),
)
