"""A model in this process: a callable, or an object with a method that scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.errors import InputError, ModelError, ResponseError

METHODS = ("scores", "predict_proba", "decision_function", "predict")
"""What an object is asked by, the most telling first."""


class LocalModel:
    """Asks a model for scores (n, C), and holds the answer to that shape."""

    def __init__(self, predict: Any) -> None:
        self._predict, self.name = _scoring_method(predict)

    def implies(self, classes: int) -> Response | None:
        """What the method asked says of its scores, if it says anything."""
        if self.name.endswith(".decision_function"):
            return Response.LOGITS if classes > 1 else Response.REGRESSION
        return None

    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of the rows of X (n, d), which may be a frame."""
        try:
            answer = self._predict(X)
        except Exception as error:
            # Whatever the user's code raises, finished work must not be lost with it.
            raise ModelError(
                f"The model raised {type(error).__name__} on {len(X)} rows: {error}. "
                "What was finished is in `.explanation` of this error."
            ) from error
        return as_scores(answer, len(X))


def as_scores(answer: Any, rows: int) -> Floats:
    """An answer as numbers (rows, C), or a sentence on what came instead."""
    try:
        y = np.asarray(answer)
    except ValueError as error:
        raise ResponseError(
            f"The model answered something that is no array: {error}. Expected "
            f"({rows}, C), a row of scores for each row asked."
        ) from error
    if y.dtype.kind in "iu":
        raise ResponseError(
            f"The model answered whole numbers such as {y.ravel()[:1].tolist()}, which "
            "look like labels. Pass a function that returns scores, such as "
            "`model.predict_proba`; if they are quantities, return them as floats."
        )
    if y.dtype.kind in "USb":
        raise ResponseError(
            f"The model answered labels such as {y.ravel()[:1].tolist()}, not scores. "
            "Pass a function that returns scores, such as `model.predict_proba`."
        )
    if y.dtype.kind not in "fiu":
        raise ResponseError(
            f"The model answered values of type {y.dtype}, such as "
            f"{y.ravel()[:1].tolist()}; real numbers were expected."
        )
    if y.ndim == 1:
        y = y[:, None]
    if y.ndim != 2 or len(y) != rows or y.shape[1] == 0:
        raise ResponseError(
            f"The model answered an array of shape {np.shape(answer)} to {rows} rows; "
            f"expected ({rows}, C), a row of scores for each row asked."
        )
    return np.asarray(y, dtype=np.float64)


def _scoring_method(predict: Any) -> tuple[Callable[[Any], Any], str]:
    for method in METHODS:
        if callable(found := getattr(predict, method, None)):
            return found, f"{type(predict).__name__}.{method}"
    if callable(predict):
        return predict, getattr(predict, "__name__", type(predict).__name__)
    if isinstance(predict, str):  # which may hold a credential
        raise InputError(
            "Cannot ask a 'str' for scores: it is not callable. Pass "
            "`facetwise.connect(address)` for a model behind an address."
        )
    raise InputError(
        f"Cannot ask {type(predict).__name__!r} for scores: it is neither callable nor "
        f"has it one of the methods {', '.join(METHODS)}."
    )
