"""From scores to log-odds: what the numbers that a model answers mean.

Notation
--------
y    scores                                         (n, C)
t    score on its linear scale, e.g. ln y           (n, C)
l    log-odds of the target against each rival      (n, K)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from facetwise.core.messages import Floats, Mask
from facetwise.errors import ResponseError

HALF_EPS = 2.0**-53
"""Half the relative spacing of 64-bit numbers: no log-odds is more exact."""

MOST = float(np.finfo(np.float64).max)
"""The largest number that is not infinite."""

SUM_TOLERANCE = 1e-3
"""Scores that sum to 1 within this are read as probabilities: ten scores rounded to
three decimals may miss 1 by 5e-3, but then they say so (see `infer_response`)."""


class Response(StrEnum):
    """What the scores of a model are."""

    PROBABILITIES = "probabilities"
    LOG_PROBABILITIES = "log_probabilities"
    LOGITS = "logits"
    SIGMOID = "sigmoid"
    BINARY = "binary"
    REGRESSION = "regression"

    @property
    def softmax(self) -> bool:
        """Whether classes compete, so that log-odds compare pairs of them."""
        return self in (
            Response.PROBABILITIES,
            Response.LOG_PROBABILITIES,
            Response.LOGITS,
        )

    @property
    def clippable(self) -> bool:
        """Whether a service may clip the scores, so that a constant one means nothing.

        A logit may well be constant.
        """
        return self.bounded or self is Response.LOG_PROBABILITIES

    @property
    def bounded(self) -> bool:
        """Whether scores lie between 0 and 1."""
        return self in (Response.PROBABILITIES, Response.SIGMOID, Response.BINARY)


def infer_response(scores: Floats) -> Response:
    """Tell what `scores` (n, C) are, or say which argument settles it."""
    low, high = float(scores.min()), float(scores.max())
    if scores.shape[1] == 1:
        if low == high == 1.0:
            raise ResponseError(
                "The only score is 1.0 for every row: the model knows one class, so "
                "there is nothing to tell apart. Pass a model of two classes or more."
            )
        if low >= 0.0 and high <= 1.0:
            raise ResponseError(
                f"One number a row, between {low:.6g} and {high:.6g}, can be a "
                "probability or a regression output. "
                "Pass response='binary' or response='regression'."
            )
        return Response.REGRESSION
    if low >= 0.0 and high <= 1.0:
        off = float(np.abs(scores.sum(axis=1) - 1.0).max())
        if off <= SUM_TOLERANCE:
            return Response.PROBABILITIES
        raise ResponseError(
            f"Scores lie in [0, 1] but rows miss a sum of 1 by up to {off:.3g}. "
            "Pass response='probabilities' if they are rounded or clipped "
            "probabilities of one class among many, or response='sigmoid' if labels "
            "are independent."
        )
    if high <= 0.0 and np.abs(np.exp(scores).sum(axis=1) - 1).max() <= SUM_TOLERANCE:
        return Response.LOG_PROBABILITIES
    raise ResponseError(
        f"Scores between {low:.6g} and {high:.6g} in {scores.shape[1]} columns can be "
        "logits or several regression outputs. "
        "Pass response='logits' or response='regression'."
    )


def usable(kind: Response, scores: Floats) -> Mask:
    """Rows (n,) of scores (n, C) that can all be scores of `kind`."""
    if kind.bounded:
        highest, lowest = 1.0 + SUM_TOLERANCE, 0.0
    elif kind is Response.LOG_PROBABILITIES:
        highest, lowest = SUM_TOLERANCE, -np.inf
    else:
        highest, lowest = MOST, -MOST
    rows: Mask = np.all((scores >= lowest) & (scores <= highest), axis=1)
    return rows


@dataclass(frozen=True, slots=True)
class LogOdds:
    """Reads log-odds off scores: one column a rival, or one for the target alone."""

    kind: Response
    target: int
    rivals: tuple[int, ...]
    contrast: int = -1

    @property
    def columns(self) -> int:
        """K, the number of log-odds read off each answer."""
        return max(1, len(self.rivals))

    def classes(self, column: int) -> tuple[int, int | None]:
        """The classes that a column compares: the target, and its rival if any."""
        return self.target, self.rivals[column] if self.rivals else None

    def compare(self, per_class: Floats) -> Floats:
        """The same differences (n, K) as log-odds are, of anything per class (n, C)."""
        return self._contrast(per_class, np.subtract)

    def values(self, scores: Floats) -> Floats:
        """Log-odds (n, K); infinite where a score is saturated."""
        return self.compare(_linear_scale(self.kind, scores))

    def noise(self, scores: Floats, half_step: Floats, largest: float) -> Floats:
        """Bound (n, K) on what rounding a score by `half_step` (n, C) does to them.

        A small score may be what is left of large ones inside the model, such as the
        `largest` one it was seen to answer.
        """
        e = _linear_scale_error(self.kind, scores, half_step, largest)
        return self._contrast(e, np.add)

    def either(self, per_class: Mask) -> Mask:
        """Columns (K,) whose target or rival has the property (C,)."""
        own = per_class[[self.target]]
        return own | per_class[list(self.rivals)] if self.rivals else own

    def leading(self, scores: Floats) -> Mask:
        """Classes (C,) that score so high that those of a softmax add up without it."""
        if self.kind is Response.PROBABILITIES:
            return scores > 0.5
        if self.kind is Response.LOG_PROBABILITIES:
            return scores > math.log(0.5)
        return np.zeros(len(scores), dtype=bool)

    def _contrast(self, per_class: Floats, combine: np.ufunc) -> Floats:
        own = per_class[:, [self.target]]
        if not self.rivals:
            return own
        with np.errstate(invalid="ignore"):  # -inf minus -inf: both are saturated
            contrast: Floats = combine(own, per_class[:, list(self.rivals)])
        return contrast


def _linear_scale(kind: Response, y: Floats) -> Floats:
    """The scale on which a piecewise linear model is piecewise linear."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if kind is Response.PROBABILITIES:
            return np.log(y)
        if kind in (Response.SIGMOID, Response.BINARY):
            return np.log(y) - np.log1p(-y)
    return y


def _linear_scale_error(
    kind: Response, y: Floats, half_step: Floats, largest: float
) -> Floats:
    """The most that an error of `half_step` in y can become on the linear scale."""
    if not kind.clippable:
        return half_step + HALF_EPS * largest
    rounding = HALF_EPS * np.abs(_linear_scale(kind, y))
    if kind is Response.PROBABILITIES:
        return _log_error(half_step, y) + rounding
    if kind is Response.LOG_PROBABILITIES:
        return half_step + rounding
    return _log_error(half_step, y) + _log_error(half_step, 1.0 - y) + rounding


def _log_error(half_step: Floats, y: Floats) -> Floats:
    """Distance of ln y to the farther of ln(y ± half_step), which may be infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        farther = -np.log1p(-np.minimum(half_step / y, 1.0))
    return np.where(np.isnan(farther), np.inf, farther)
