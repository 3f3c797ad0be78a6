"""What the answers are: how many classes, what kind of scores, with which digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.floor import Grid
from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.errors import ResponseError
from facetwise.wanted import Wanted


@dataclass(frozen=True, slots=True)
class Scores:
    """Kind, number and digits of the scores; `ambiguous` says why there is no kind.

    `refused` has the places of the rows that got no usable answer.
    """

    classes: int
    class_names: tuple[str, ...] | None
    kind: Response | None
    ambiguous: str | None
    digits: str
    refused: tuple[int, ...]

    @property
    def coarse(self) -> bool:
        """Whether they are rounded to decimals or to significant digits."""
        return not self.digits.endswith("-bit")

    @property
    def sentences(self) -> list[str]:
        """What there is to say."""
        scores = "One score" if self.classes == 1 else f"{self.classes} scores"
        kind = "of a kind that is not clear" if self.kind is None else f"{self.kind}"
        told = [f"{scores} a row, {kind}, in {self.digits}."]
        if self.class_names:
            told.append(f"Classes: {', '.join(self.class_names)}.")
        if self.ambiguous:
            told.append(self.ambiguous)
        if self.refused:
            rows = ", ".join(map(str, self.refused))
            told.append(f"No usable answer to row {rows}: see whether it is valid.")
        return told


def scores_seen(
    y: Floats,
    response: str,
    implied: Response | None,
    class_names: tuple[str, ...] | None,
    grid: Grid,
) -> Scores:
    """What scores (n, C) of n rows are, as named, as implied, or as they look."""
    kind, ambiguous = None, None
    try:
        kind = Wanted(None, None, response, None).kind(y, implied)
    except ResponseError as error:
        ambiguous = str(error)
    refused = np.flatnonzero(~np.isfinite(y).all(axis=1))
    return Scores(
        y.shape[1],
        class_names,
        kind,
        ambiguous,
        str(grid),
        tuple(map(int, refused)),
    )
