"""Inspects a model: asks what shows what it is like, part by part."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from facetwise.core.domain import Domain
from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.endpoints.budget import BudgetError
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.local import LocalModel
from facetwise.endpoints.retry import Retry
from facetwise.endpoints.service import Service
from facetwise.errors import FacetwiseError, InputError
from facetwise.explainer import Explainer
from facetwise.inspection.inputs import see_inputs
from facetwise.inspection.inspection import Inspection
from facetwise.inspection.noise import measure_noise
from facetwise.inspection.outlay import outlay
from facetwise.inspection.scores import Scores, scores_seen
from facetwise.inspection.shape import Shape, shape_of
from facetwise.inspection.speed import Speed, measure_speed
from facetwise.inspection.trial import Trial
from facetwise.tables.instances import Instances, prepare

MOST_QUESTIONS = 10_000
"""Asked in all where nothing else is said."""

MOST_ROWS = 64
"""Rows that are looked at."""

FEW = 3
"""Rows that are explained."""

MADE_UP = 8
"""Rows that are made up where none are given."""

Part = TypeVar("Part")


def inspect(
    endpoint: Any,
    rows: ArrayLike | Any = None,
    *,
    instances: int = 1000,
    domain: Domain | None = None,
    response: str = "auto",
    max_queries: int = MOST_QUESTIONS,
    seed: int = 0,
) -> Inspection:
    """See what a model is like, with few questions: digits, noise, limits, speed.

    Parameters
    ----------
    endpoint
        A service, as `connect` gives it, or anything that `Explainer` takes.
    rows
        A few typical rows, an array or a table: the first 64 are looked at, and three
        of them explained. None makes rows up where the service says how many numbers
        they have.
    instances
        How many rows are to be explained later; what that would take is estimated.
    domain
        How features may be moved.
    response
        What the scores are, as for `Explainer`.
    max_queries
        A hard limit on the rows sent; parts that do not fit into it are left out.
    seed
        Of the points that are asked.
    """
    model = endpoint if isinstance(endpoint, Endpoint) else LocalModel(endpoint)
    service = _service(model)
    given = _made_up(model, service, seed) if rows is None else rows
    frame = prepare(given, None, domain or Domain())
    began = time.perf_counter()
    trial = Trial(model, frame.sent, max_queries)
    X = frame.data[:MOST_ROWS]
    y = trial.scores(X)
    X, usable = _answered(X, y)
    parts = _Parts(max_queries)
    names = [str(name) for name in frame.names or range(X.shape[1])]
    noise = parts.see("noise", lambda: measure_noise(trial, X, usable))
    scatter = noise.largest if noise else 0.0
    about = X, names, frame.domain
    inputs = parts.see("inputs", lambda: see_inputs(trial, *about, scatter, seed))
    speed = parts.see("speed", lambda: measure_speed(trial, X))
    class_names = None if service is None else service.classes
    kind = model.implies(y.shape[1])
    scores = scores_seen(y, response, kind, class_names, trial.grid)
    shape = parts.see("shape", lambda: _explained(trial, frame, scores, domain, seed))
    moving = int(np.count_nonzero(frame.domain.moving))
    cost = parts.see(
        "outlay", lambda: outlay(instances, moving, scores.coarse, _known(speed))
    )
    return Inspection(
        name=model.name,
        rows=len(y),
        features=X.shape[1],
        made_up=rows is None,
        scores=scores,
        noise=noise,
        inputs=inputs,
        speed=speed,
        shape=shape,
        outlay=cost,
        left_out=parts.left_out,
        questions=trial.budget.rows,
        calls=trial.budget.calls,
        seconds=time.perf_counter() - began,
    )


class _Parts:
    """Looks at one part after the other, and keeps the reasons where there is none."""

    def __init__(self, max_queries: int) -> None:
        self.left_out: dict[str, str] = {}
        self._max_queries = max_queries

    def see(self, name: str, look: Callable[[], Part]) -> Part | None:
        """What a look shows, if it can be had within the budget."""
        try:
            return look()
        except BudgetError:
            why = f"it would pass max_queries, {self._max_queries:,}."
        except FacetwiseError as error:
            why = str(error)
        self.left_out[name] = f"Left out: {why}"
        return None


def _known(speed: Speed | None) -> Speed:
    if speed is None:
        raise InputError("it takes the speed, which was not measured.")
    return speed


def _explained(
    trial: Trial, frame: Instances, scores: Scores, domain: Domain | None, seed: int
) -> Shape:
    """How explaining a few rows ends, within what is left of the budget."""
    if scores.kind is None:
        raise InputError(f"the scores are not clear. {scores.ambiguous}")
    several = scores.kind is Response.REGRESSION and scores.classes > 1
    usable = [i for i in range(len(frame.data)) if i not in scores.refused][:FEW]
    trial.budget.check(len(usable))
    explainer = Explainer(
        trial.model,
        target=0 if several else "predicted",
        domain=domain,
        response=str(scores.kind),
        seed=seed,
        max_queries=trial.left,
        concurrency=1,
        progress=False,
    )
    explanation = explainer(frame.sent(frame.data[usable]))
    trial.budget.recall(
        explanation.meta["sent_queries"], explanation.meta["sent_calls"]
    )
    return shape_of(explanation)


def _answered(X: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Rows that were answered, and the answers."""
    answered = np.isfinite(y).all(axis=1)
    if not answered.any():
        raise InputError(
            "No row got a usable answer, all were refused. Pass rows as the service "
            "takes them."
        )
    return X[answered], y[answered]


def _service(model: Endpoint) -> Service | None:
    inner = model.inner if isinstance(model, Retry) else None
    return inner if isinstance(inner, Service) else None


def _made_up(model: Endpoint, service: Service | None, seed: int) -> Floats:
    """Rows of standard normal numbers, as many as the service says a row has."""
    features = None if service is None else service.features
    if features is None:
        raise InputError(
            f"{model.name} does not say how many numbers a row has: pass rows=, a few "
            "typical ones."
        )
    return np.random.default_rng(seed).standard_normal((MADE_UP, features))
