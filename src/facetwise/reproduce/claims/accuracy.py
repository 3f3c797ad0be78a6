"""Table 1: how accurate the target models are."""

from __future__ import annotations

from collections.abc import Iterator

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.table import Cell
from facetwise.reproduce.table1 import PAPER


def _judge(cell: Cell) -> Iterator[Finding]:
    for part, paper in zip(
        ("training", "test"), PAPER[cell.data_set, cell.model], strict=True
    ):
        ours = cell.mean("", f"{part} accuracy")
        figures = f"{part} accuracy {ours:.3f}, the paper's {paper:.3f}"
        yield Finding(cell.name, figures, ours >= paper)


CLAIM = Claim(
    name="accuracy",
    place="Table 1",
    statement=(
        "PLNN reaches 0.888 and 0.865 on FMNIST, 0.980 and 0.971 on MNIST; LMT 0.950 "
        "and 0.870, 0.991 and 0.949 (training and test)."
    ),
    rule="Our accuracy is at least the paper's.",
    methods=(),
    judge=by_cell(_judge),
)
