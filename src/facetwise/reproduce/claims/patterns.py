"""Figure 2: tree and network look at the same parts of an image."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.metrics import cosine_similarity
from facetwise.reproduce.claims.claim import Claim, Finding
from facetwise.reproduce.table import PAPER_NAMES, Table

ALIKE = 0.5
"""The cosine above which two patterns are called similar."""


def _judge(table: Table) -> Iterator[Finding]:
    groups = {
        (cell.data_set, cell.model): cell.groups("facetwise") for cell in table.cells
    }
    for data_set, name in PAPER_NAMES.items():
        network = groups.get((data_set, "plnn"), {})
        tree = groups.get((data_set, "lmt"), {})
        for shown in network.keys() & tree.keys():
            cosine = float(
                cosine_similarity(network[shown][None], tree[shown][None])[0]
            )
            figures = f"{shown}: cosine {cosine:.2f} between LMT and PLNN"
            yield Finding(name, figures, cosine > ALIKE)


CLAIM = Claim(
    name="patterns",
    place="Figure 2",
    statement=(
        "The decision features learnt by the LMT highlight similar image patterns as "
        "those of the PLNN."
    ),
    rule=f"Averaged over a class, the cosine between the two is above {ALIKE}.",
    methods=("facetwise",),
    judge=_judge,
)
