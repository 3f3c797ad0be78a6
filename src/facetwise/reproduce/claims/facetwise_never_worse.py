"""Not in the paper: facetwise is not worse than Algorithm 1, and costs a fraction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from facetwise.reproduce.claims.claim import Claim, Finding, by_cell
from facetwise.reproduce.table import Cell

OURS, THEIRS = METHODS = ("facetwise", "algorithm 1")

LESS = ("L1Dist", "RD", "WD", "questions", "seconds")
"""Measures of which less is better."""

SLACK = 1e-3
"""Difference that is none, of a cosine or of a share: the weights of both are those of
the same region but for rounding, which decides the order of equal ones."""


def _judge(cell: Cell) -> Iterator[Finding]:
    if not all(cell.of(method, "answered").size for method in METHODS):
        return
    for measure in LESS:
        ours, theirs = (cell.mean(method, measure) for method in METHODS)
        figures = f"{measure}: {ours:.3g} against {theirs:.3g}"
        yield Finding(cell.name, figures, ours <= theirs)
    for measure, ours, theirs in _more(cell):
        figures = f"{measure}: {ours:.4f} against {theirs:.4f}"
        yield Finding(cell.name, figures, ours >= theirs - SLACK)


def _more(cell: Cell) -> Iterator[tuple[str, float, float]]:
    """Measures of which more is better, all of them shares."""
    for measure in ("answered", "cosine similarity"):
        yield measure, cell.mean(OURS, measure), cell.mean(THEIRS, measure)
    instances = cell.of(OURS, "answered").size
    for measure, whole in (("CPP", 1), ("NLCI", instances)):
        ours, theirs = (
            float(np.mean(cell.curve(method, measure))) / whole for method in METHODS
        )
        yield f"{measure}, mean over features", ours, theirs


CLAIM = Claim(
    name="facetwise-never-worse",
    place="Ours",
    statement=(
        "facetwise is never worse than Algorithm 1 in any measure, for a fraction of "
        "its questions and seconds."
    ),
    rule=(
        "Means of L1Dist, RD, WD, questions and seconds are not above, those of "
        f"cosine similarity, CPP and NLCI not more than {SLACK} below."
    ),
    methods=METHODS,
    judge=by_cell(_judge),
)
