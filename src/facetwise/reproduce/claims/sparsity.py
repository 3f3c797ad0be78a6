"""Figure 2: the tree's decision features are sparser than the network's."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding
from facetwise.reproduce.table import PAPER_NAMES, Table


def _judge(table: Table) -> Iterator[Finding]:
    cells = {(cell.data_set, cell.model): cell for cell in table.cells}
    for data_set, name in PAPER_NAMES.items():
        shares = {
            model: cells[data_set, model].mean("facetwise", "zero weights")
            for model in ("lmt", "plnn")
            if (data_set, model) in cells
        }
        if len(shares) == 2 and shares["lmt"] == shares["lmt"]:
            figures = (
                f"{shares['lmt']:.1%} of the weights are zero for LMT, "
                f"{shares['plnn']:.1%} for PLNN"
            )
            yield Finding(name, figures, shares["lmt"] > shares["plnn"])


CLAIM = Claim(
    name="sparsity",
    place="Figure 2",
    statement="The decision features of the LMT are sparser than those of the PLNN.",
    rule="More of an instance's weights are zero, in the mean, for LMT than for PLNN.",
    methods=("facetwise",),
    judge=_judge,
)
