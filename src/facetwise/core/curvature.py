"""Is it a boundary that ended the search, or does the model bend everywhere?"""

from __future__ import annotations

from collections.abc import Generator

from facetwise.core.messages import Answers, Probes
from facetwise.core.radius import LEAST, Failure, Search

MOST_DOUBTS = 6
"""Further pairs that are asked before a model is called smooth."""


def bends(search: Search, radii: list[float]) -> Generator[Probes, Answers, bool]:
    """Whether a smooth function that held at `radii` may fail as the nearest pair did.

    If it might be, the pair that failed is asked again on the same line, ever closer.
    A pair that crossed a boundary by very little looks smooth all the same, so others
    are asked where it failed.
    """
    judged: Failure | None = None
    for _ in range(MOST_DOUBTS):
        failure = search.telling
        if failure is None or failure.tells(max(radii)):
            return False
        if failure is not judged and (yield from _ends(search, failure, radii)):
            return False
        judged = failure
        other = yield from search.pairs.along(failure.radius)
        if other.excess > (1.0 if failure.row is None else failure.excess):
            search.fail(Failure.of(other))
    return True


def _ends(
    search: Search, failure: Failure, radii: list[float]
) -> Generator[Probes, Answers, bool]:
    """Whether the pair that failed falls to the floor as no smooth function does."""
    if failure.row is None:
        return False
    for r in radii:
        if failure.tells(r, LEAST):
            again = yield from search.pairs.along(r, failure.row)
            if failure.tells(r, max(again.excess, LEAST)):
                return True
    return False
