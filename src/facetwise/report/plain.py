"""How each row ended, for readers who know nothing of the method."""

from __future__ import annotations

from typing import Literal

from facetwise.core.status import Status

Standing = Literal["certified", "partly", "estimate", "none"]

STANDING: dict[Status, Standing] = {
    Status.CERTIFIED: "certified",
    Status.PARTLY_CERTIFIED: "partly",
    Status.SMOOTH: "estimate",
    Status.PIECEWISE_CONSTANT: "estimate",
    Status.UNVERIFIED: "estimate",
}
"""How far the weights of a row can be relied on; "none" where it has no weights."""

PLAIN: dict[Status, str] = {
    Status.CERTIFIED: (
        "The weights were checked against fresh answers of the model, and each is "
        "right to within the error that is shown."
    ),
    Status.PARTLY_CERTIFIED: (
        "The weights were checked, but only as a comparison with one other class. "
        "For some classes the model's scores were too low or too coarse."
    ),
    Status.SMOOTH: (
        "The model seems to bend here instead of following a straight line. The "
        "weights are its slope at this very point, an estimate and not certified."
    ),
    Status.ON_BOUNDARY: (
        "Two different rules of the model meet here, so there is no one set of "
        "weights that explains this row."
    ),
    Status.PIECEWISE_CONSTANT: (
        "The model's answer did not change at all around this row. All weights are "
        "zero as far as can be seen; that is not certified."
    ),
    Status.TOO_COARSE: (
        "The model's answers have too few digits to tell the weights usefully."
    ),
    Status.SATURATED: (
        "The model's answers are pinned at their limits here (such as exactly 0 or "
        "exactly 1), and say nothing about what moves them."
    ),
    Status.UNSTABLE: "The model gave different answers to the same question.",
    Status.CHANGED: "The model was probably replaced while this row was examined.",
    Status.REFUSED: "The model gave no usable answers to questions near this row.",
    Status.OUT_OF_BUDGET: "The limit on questions was reached before this row ended.",
    Status.NOT_ASKED: "The examination ended before this row's turn.",
    Status.UNVERIFIED: (
        "The weights come from a method that checks nothing: an estimate, and "
        "not certified."
    ),
    Status.NO_SOLUTION: "A method that checks nothing found no weights for this row.",
}


def standing(status: Status) -> Standing:
    """How far the weights of a row that ended so can be relied on."""
    return STANDING.get(status, "none")
