"""Is it a boundary that ended the search, or does the model bend everywhere?"""

from __future__ import annotations

from collections.abc import Generator

from facetwise.core.messages import Answers, Probes
from facetwise.core.radius import LEAST, Failure, Search

MOST_DOUBTS = 6
"""Further pairs that are asked before a model is called smooth."""


def bends(search: Search, radius: float) -> Generator[Probes, Answers, bool]:
    """Whether what failed last is no worse than a smooth function that held at `radius`.

    If it might be, the pair that failed is asked again at `radius`, on the same line.
    A pair that crossed a boundary by very little looks smooth all the same, so others
    are asked where it failed.
    """
    judged: Failure | None = None
    for _ in range(MOST_DOUBTS):
        failure = search.failure
        if failure is None or failure.tells(radius):
            return False
        along = failure.row is not None and failure.tells(radius, LEAST)
        if along and failure is not judged:
            again = yield from search.pairs.along(radius, failure.row)
            if failure.tells(radius, max(again.excess, LEAST)):
                return False
            judged = failure
        other = yield from search.pairs.along(failure.radius)
        if other.excess > (1.0 if failure.row is None else failure.excess):
            search.failure = Failure(other.radius, other.excess, other.row)
    return True
