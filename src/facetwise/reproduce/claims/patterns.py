"""Figure 2: tree and network look at the same parts of an image."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.core.messages import Floats
from facetwise.metrics import cosine_similarity
from facetwise.reproduce.claims.claim import Claim, Finding
from facetwise.reproduce.table import PAPER_NAMES, Table


def _judge(table: Table) -> Iterator[Finding]:
    groups = {
        (cell.data_set, cell.model): cell.groups("facetwise") for cell in table.cells
    }
    for data_set, name in PAPER_NAMES.items():
        network = groups.get((data_set, "plnn"), {})
        tree = groups.get((data_set, "lmt"), {})
        for shown in tree:
            if shown in network and len(network) > 1:
                cosines = {
                    other: _cosine(tree[shown], network[other]) for other in network
                }
                nearest = max(cosines, key=cosines.__getitem__)
                figures = (
                    f"{shown}: cosine {cosines[shown]:.2f} to the PLNN's own, nearest "
                    f"is {nearest}"
                )
                yield Finding(name, figures, nearest == shown)


def _cosine(a: Floats, b: Floats) -> float:
    return float(cosine_similarity(a[None], b[None])[0])


CLAIM = Claim(
    name="patterns",
    place="Figure 2",
    statement=(
        "The decision features learnt by the LMT highlight similar image patterns as "
        "those of the PLNN."
    ),
    rule=(
        "Averaged over a class, the LMT's are nearer to the PLNN's of that class than "
        "to those of any other class of the figure, by cosine."
    ),
    methods=("facetwise",),
    judge=_judge,
)
