"""The ways in which services answer worse than the model that they serve."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.errors import FacetwiseError
from facetwise.serve.loading import Served
from facetwise.serve.problem import Problem
from facetwise.serve.settings import Settings


class Behaviour:
    """Answers rows as the settings say."""

    def __init__(
        self,
        model: Served,
        settings: Settings,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._settings = settings
        self._sleep = sleep
        self._chance = np.random.default_rng(settings.seed)
        self._lock = threading.Lock()
        self.features = model.features
        self.classes = 1 if settings.labels_only else model.classes

    @property
    def dtype(self) -> Any:
        """Of the numbers that it takes and answers."""
        return np.float32 if self._settings.float32 else np.float64

    @property
    def output(self) -> tuple[str, Any]:
        """What it answers: a name, and a type."""
        if self._settings.labels_only:
            return "labels", np.int64
        return "scores", self.dtype

    def answer(self, X: Floats) -> Any:
        """Scores (n, C) of rows (n, d), or labels (n, 1), or a problem."""
        settings = self._settings
        if settings.latency:
            self._sleep(settings.latency)
        with self._lock:
            fails = self._chance.random() < settings.fail_rate
        if fails:
            raise Problem(503, "The service is set to fail at times: ask again.")
        if len(X) > settings.max_rows:
            raise Problem(
                413, f"{len(X)} rows in a call; this server takes {settings.max_rows}."
            )
        if self.features is not None and X.shape[1] != self.features:
            raise Problem(
                400, f"{X.shape[1]} features a row; the model takes {self.features}."
            )
        with np.errstate(over="ignore"):
            X = X.astype(self.dtype).astype(np.float64)
        if not np.isfinite(X).all():
            raise Problem(400, "A row holds NaN, or a number that is too large.")
        return self._told(self._scores(X))

    def _scores(self, X: Floats) -> Floats:
        try:
            scores = self._model.scores(X)
        except FacetwiseError as error:
            raise Problem(500, str(error)) from error
        if not np.isfinite(scores).all():
            raise Problem(500, "The model answered NaN or an infinite number.")
        return scores

    def _told(self, scores: Floats) -> Any:
        settings = self._settings
        if settings.labels_only:
            return _labels(scores)
        if settings.decimals is not None:
            scores = scores.round(settings.decimals)
        return scores.astype(self.dtype)


def _labels(scores: Floats) -> Any:
    """The class (n, 1) of each row; one score is the probability of the second."""
    if scores.shape[1] == 1:
        return (scores > 0.5).astype(np.int64)
    return scores.argmax(axis=1)[:, None]
