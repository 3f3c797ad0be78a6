"""What a picture shows of a feature: its weight, times what makes it comparable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError
from facetwise.explanation import Explanation, typical_steps

Measure = Literal["part", "step", "unit"]

TOLD = {
    "part": "weight times value",
    "step": "weight times typical step",
    "unit": "weight",
}
"""What the axis is labelled with, for each measure."""


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects (n, d) of features on the score of their rows, and bounds on them.

    Weights that cannot be told from 0 have no effect. Frozen features hold NaN.
    Bounds of rows that are not certified are NaN.
    """

    values: Floats
    bounds: Floats


def effects(explanation: Explanation, measure: Measure) -> Effects:
    """Effects of all rows; an explanation without any is an error that says why."""
    if measure not in TOLD:
        names = ", ".join(repr(name) for name in TOLD)
        raise InputError(f"measure must be one of {names}; got {measure!r}.")
    if not len(explanation):
        raise InputError("There are no rows to draw. Pass an explanation of some.")
    D, bound = explanation.values, explanation.error_bound
    if not np.isfinite(D).any():
        raise InputError(
            f"No row has weights to draw. Row 0 says: {explanation.status[0]}"
        )
    factor = {
        "part": explanation.data,
        "step": typical_steps(explanation),
        "unit": np.ones(D.shape[1]),
    }[measure]
    sure = explanation.certified[:, None]
    D = np.where(np.abs(D) <= bound, 0.0, D)
    return Effects(D * factor, np.where(sure, bound * np.abs(factor), np.nan))


def strongest(sizes: Floats, most: int) -> Ints:
    """Up to so many features (k,), of sizes (d,), the largest first; no frozen ones."""
    if most < 1:
        raise InputError(f"max_display must be 1 or more; got {most}.")
    order = np.argsort(-np.nan_to_num(sizes), kind="stable")
    return order[np.isfinite(sizes[order])][:most]


def only_row(explanation: Explanation, what: str) -> None:
    """Check that there is one row."""
    if len(explanation) != 1:
        raise InputError(
            f"{what} draws one row; got {len(explanation)}. Choose one, as in "
            f"explanation[3]."
        )
