"""What methods share that ask a model for scores, one instance after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from facetwise.baselines.record import Attributed
from facetwise.core.messages import Floats, Ints
from facetwise.core.response import LogOdds, Response, usable
from facetwise.endpoints.local import LocalModel
from facetwise.errors import InputError
from facetwise.models.rows import as_rows

ROWS_A_CALL = 2048
"""Rows sent to the model at a time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method has to say about one instance."""

    values: Floats
    designs: int = 1
    radius: float = np.nan


class Instance:
    """One instance x (d,) whose class `target` is to be explained, and its model."""

    def __init__(
        self, model: LocalModel, x: Floats, target: int, seed: np.random.SeedSequence
    ) -> None:
        self.x = x
        self.target = target
        self.seed = seed
        self.rng = np.random.default_rng(seed)
        self.queries = 0
        self._model = model

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of the rows X, which have to be probabilities."""
        self.queries += len(X)
        parts = [
            self._model.scores(X[start : start + ROWS_A_CALL])
            for start in range(0, len(X), ROWS_A_CALL)
        ]
        scores = np.concatenate(parts)
        if scores.shape[1] < 2 or not usable(Response.PROBABILITIES, scores).all():
            raise InputError(
                "This method reads probabilities of two classes or more, and "
                f"{self._model.name} answered scores such as {scores[0].tolist()}. "
                "Pass a function that returns probabilities."
            )
        return scores

    def reading(self, classes: int) -> LogOdds:
        """How to read the log-odds of the target against each other class."""
        require_class(self.target, classes)
        rivals = tuple(c for c in range(classes) if c != self.target)
        return LogOdds(Response.PROBABILITIES, self.target, rivals)

    def log_odds(self, X: Floats) -> Floats:
        """Log-odds (n, C - 1) at the rows X; infinite where a score is 0."""
        scores = self.scores(X)
        return self.reading(scores.shape[1]).values(scores)


def explain_each(
    method: Any,
    one: Callable[[Instance], Answer],
    model: Any,
    X: ArrayLike,
    targets: ArrayLike,
    seed: int = 0,
) -> Attributed:
    """The record of a method, a dataclass, that asks about `one` row at a time."""
    started = time.perf_counter()
    rows, classes = as_instances(X, targets)
    asked = [
        # A stream of its own for each row, so that rows draw different points.
        Instance(
            LocalModel(model), x, int(c), np.random.SeedSequence(seed, spawn_key=(i,))
        )
        for i, (x, c) in enumerate(zip(rows, classes, strict=True))
    ]
    answers = [one(instance) for instance in asked]
    return Attributed(
        values=np.stack([answer.values for answer in answers]),
        target=classes,
        queries=np.array([instance.queries for instance in asked]),
        designs=np.array([answer.designs for answer in answers]),
        radius=np.array([answer.radius for answer in answers]),
        meta=about(method, started),
    )


def about(method: Any, started: float) -> dict[str, Any]:
    """Name, settings and seconds, for the record of a method that is a dataclass."""
    seconds = time.perf_counter() - started
    return {"method": type(method).__name__, "seconds": seconds, **asdict(method)}


def require_class(target: int, classes: int) -> None:
    """Refuse a target that is none of the model's classes."""
    if not 0 <= target < classes:
        raise InputError(
            f"targets names class {target}; the model has classes 0 to {classes - 1}."
        )


def as_instances(X: ArrayLike, targets: ArrayLike) -> tuple[Floats, Ints]:
    """Instances (n, d), and the class (n,) to explain at each."""
    rows, classes = as_rows(X), np.asarray(targets)
    if classes.shape not in ((), (len(rows),)) or classes.dtype.kind not in "iu":
        raise InputError(
            f"targets must be a class number, or one for each of the {len(rows)} rows; "
            f"got {targets!r}."
        )
    return rows, np.broadcast_to(classes, len(rows)).astype(np.intp)
