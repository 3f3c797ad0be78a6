"""One run: from instances to records, within a budget, whatever the model does."""

from __future__ import annotations

import itertools
import platform
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from facetwise.asking import Asking, Service
from facetwise.core.algorithm1 import algorithm1
from facetwise.core.domain import Domain
from facetwise.core.messages import Answers, Floats, Ints, Probes
from facetwise.core.noise import REPEATED
from facetwise.core.recover import recover
from facetwise.core.recovered import AGAINST_ALL, Recovered, nothing
from facetwise.core.response import LogOdds, Response, infer_response
from facetwise.core.status import Status
from facetwise.core.task import Task
from facetwise.endpoints.budget import BudgetError
from facetwise.endpoints.drift import DriftError
from facetwise.errors import InputError, ResponseError
from facetwise.explanation import Explanation, assemble
from facetwise.interleave import interleave
from facetwise.progress import Report
from facetwise.tables.instances import Instances
from facetwise.unconfirmed import Unconfirmed
from facetwise.version import __version__

Method = Callable[[Task, Floats], Generator[Probes, Answers, Recovered]]

METHODS: dict[str, Method] = {"facetwise": recover, "algorithm1": algorithm1}

WAVES = (16, 144)
"""Rows after which what is known of the region sizes is looked at again. Fixed
numbers, so that answers do not depend on batches."""

NOT_KNOWN = -1
"""The target of a row that was to be explained for its predicted class, and was never
asked."""

AMBITION = 2.5
"""Later rows begin at this multiple of the radius at which rows usually agree (their
geometric mean): two questions spent too far out cost less than digits do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for, checked; `Explainer` tells what each means."""

    service: Service
    target: Ints | None
    versus: int | None
    domain: Domain
    response: str
    method: str
    seed: int | None
    alpha: float
    precision: float
    report: Report
    feature_names: tuple[str, ...] | None
    class_names: tuple[str, ...] | None

    @property
    def questions(self) -> dict[str, Any]:
        """Those that decide what is asked, as JSON can hold them."""
        return {
            "target": None if self.target is None else self.target.tolist(),
            "versus": self.versus,
            "response": self.response,
            "method": self.method,
            "seed": self.seed,
            "confidence": 1.0 - self.alpha,
            "precision": self.precision,
        }


class Run:
    """Explains data (n, d); `explanation` can be had at any moment."""

    def __init__(self, settings: Settings, rows: Instances) -> None:
        self._settings = settings
        self._rows = rows
        self._data = data = rows.data
        self._domain = rows.domain
        n, d = data.shape
        if settings.target is not None and settings.target.shape not in ((), (n,)):
            raise InputError(
                f"target needs one class, or one for each of the {n} rows; got "
                f"{len(settings.target)}."
            )
        fresh: Any = np.random.SeedSequence(settings.seed).entropy
        self._asking = Asking(settings.service, rows, settings.questions, fresh)
        self._entropy = self._asking.seed
        named = NOT_KNOWN if settings.target is None else settings.target
        self._records = [
            _unasked(d, Status.NOT_ASKED, int(target))
            for target in np.broadcast_to(named, (n,))
        ]
        self._response: Response | None = None
        self._unconfirmed = Unconfirmed()
        self._drift: Status | None = None
        self._started = time.perf_counter()

    @property
    def classes(self) -> int:
        """Scores that the model answers to a row; 0 before it has answered."""
        return self._asking.classes

    def advance(self) -> None:
        """Ask about every instance, as far as budget and model allow."""
        with self._asking as asking:
            try:
                self._advance()
                self._confirm(REPEATED)
                asking.finish()
            except DriftError as drift:
                self._mark_drift(drift.status)
            except BudgetError:
                self._mark_unfinished()

    def _advance(self) -> None:
        n, d = self._data.shape
        asking, moving = self._asking, self._asking.moving
        # Asking more rows than can be finished would only use the limit up.
        asked = min(n, max(1, asking.most_rows // (moving + 3)))
        for i in range(asked, n):
            self._records[i] = _unasked(
                d, Status.OUT_OF_BUDGET, self._records[i].target
            )
        origins = asking.questions.ask(self._data[:asked].copy()).scores
        self._response = self._kind(origins)
        targets = self._targets(origins)
        for target in np.unique(targets):
            self._log_odds(int(target))  # a wrong `versus` is told before it costs
        for i in range(asked):
            self._records[i] = _unasked(d, Status.NOT_ASKED, int(targets[i]), 1)
        self._begin_to_watch(origins)
        done = n - asked
        for wave in _waves(asked):
            start = self._likely_reach()
            tasks = [self._task(i, int(targets[i]), start) for i in wave]
            recoveries = [
                self._unconfirmed.noted(
                    i, METHODS[self._settings.method](task, origins[i])
                )
                for i, task in zip(wave, tasks, strict=True)
            ]
            for end in interleave(recoveries, asking.questions, moving):
                i, done = wave[end.index], done + 1
                self._records[i] = end.result or _unasked(
                    d, Status.OUT_OF_BUDGET, int(targets[i]), 1 + end.asked
                )
                self._settings.report(done, n, asking.questions.asked)
                if asking.guard is not None and asking.guard.due:
                    self._confirm()

    def _begin_to_watch(self, origins: Floats) -> None:
        """Choose the questions that are asked again."""
        if self._asking.guard is not None:
            self._unconfirmed.rows.update(range(len(origins)))
            self._asking.guard.begin(self._data[: len(origins)], origins)
            self._unconfirmed.confirm()

    def _confirm(self, times: int = 1) -> None:
        """See that the model is the same, and so the rows that it answered."""
        if self._asking.guard is not None:
            self._asking.guard.check(times)
            self._unconfirmed.confirm()

    def _mark_drift(self, status: Status) -> None:
        """Take back what may have been answered by two models."""
        self._drift = status
        for i in self._unconfirmed.rows:
            self._record_as(i, status)

    def _mark_unfinished(self) -> None:
        """Say of rows that the budget was not enough for them."""
        for i, record in enumerate(self._records):
            if record.status is Status.NOT_ASKED:
                self._record_as(i, Status.OUT_OF_BUDGET)

    def _record_as(self, i: int, status: Status) -> None:
        before = self._records[i]
        d = self._data.shape[1]
        self._records[i] = _unasked(d, status, before.target, before.queries)

    def explanation(self) -> Explanation:
        """What is known so far."""
        settings = self._settings
        meta = {
            "method": settings.method,
            "response": None if self._response is None else str(self._response),
            "seed": self._entropy,
            "confidence": 1.0 - settings.alpha,
            "precision": settings.precision,
            "scale": self._domain.scale.tolist(),
            "table": frames.library.kind if (frames := self._rows.frames) else None,
            "categories": self._rows.categories,
            **self._asking.cost,
            "drift": None if self._drift is None else self._drift.name,
            "seconds": time.perf_counter() - self._started,
            "model": settings.service.model.name,
            "versions": {
                "facetwise": __version__,
                "numpy": np.__version__,
                "scipy": scipy.__version__,
                "python": platform.python_version(),
            },
        }
        return assemble(
            self._records,
            self._data,
            self.classes,
            self._rows.names,
            settings.class_names,
            meta,
        )

    def _kind(self, origins: Floats) -> Response:
        """What the scores are: as the user says, the method implies, or they look."""
        _check_names("class_names", self._settings.class_names, self.classes)
        if self._settings.response != "auto":
            return self._said(Response(self._settings.response))
        if (implied := self._settings.service.model.implies(self.classes)) is not None:
            return implied
        whole = np.isfinite(origins).all(axis=1)
        if not whole.any():
            raise ResponseError(
                "The model answered NaN or infinite scores for every row. Check that "
                "the rows are valid input, or name what the scores are: response=..."
            )
        return infer_response(origins[whole])

    def _said(self, kind: Response) -> Response:
        """The kind that the user named, if the number of scores allows it."""
        if kind is Response.BINARY and self.classes != 1:
            raise ResponseError(
                f"response='binary' means one score a row; the model answers "
                f"{self.classes}. Pass 'probabilities' or 'sigmoid'."
            )
        if kind.softmax and self.classes == 1:
            raise ResponseError(
                f"response={str(kind)!r} compares classes, and the model answers one "
                "score a row. Pass 'binary' or 'regression'."
            )
        return kind

    def _targets(self, origins: Floats) -> Ints:
        """The class to explain for each instance asked."""
        target = self._settings.target
        if target is None:
            if self._response is Response.REGRESSION and self.classes > 1:
                raise InputError(
                    f"The model has {self.classes} outputs and none is predicted over "
                    "the others. Pass target=, the output to explain."
                )
            best: Ints = np.argmax(np.nan_to_num(origins, nan=-np.inf), axis=1)
            return best
        unknown = target[(target < 0) | (target >= self.classes)]
        if unknown.size:
            raise InputError(
                f"target names class {unknown.flat[0]}; the model has classes 0 to "
                f"{self.classes - 1}."
            )
        targets: Ints = np.broadcast_to(target, (len(self._data),))
        return targets

    def _likely_reach(self) -> float | None:
        """Where to begin the search, from the rows finished so far, or None."""
        reaches = np.array([record.reach for record in self._records])
        known = reaches[np.isfinite(reaches)]
        return AMBITION * float(np.exp(np.log(known).mean())) if known.size else None

    def _task(self, i: int, target: int, start: float | None) -> Task:
        seed = np.random.SeedSequence(self._entropy, spawn_key=(i,))
        read = self._log_odds(target)
        alpha, precision = self._settings.alpha, self._settings.precision
        x = self._data[i]
        return Task(x, read, self._domain, alpha, seed, precision, start)

    def _log_odds(self, target: int) -> LogOdds:
        """Which scores the target is compared with."""
        versus, kind = self._settings.versus, self._response
        assert kind is not None
        if versus is None:
            rivals = [c for c in range(self.classes) if c != target]
            return LogOdds(kind, target, tuple(rivals) if kind.softmax else ())
        if not kind.softmax:
            raise InputError(f"versus= compares classes; {kind} scores have no rivals.")
        if versus == target or not 0 <= versus < self.classes:
            raise InputError(
                f"versus={versus} must be another class than the one explained, "
                f"{target}, and lie between 0 and {self.classes - 1}."
            )
        return LogOdds(kind, target, (versus,), contrast=versus)


def _unasked(d: int, status: Status, target: int, queries: int = 0) -> Recovered:
    """The record of an instance that was not finished."""
    return Recovered(
        status=status,
        target=target,
        contrast=AGAINST_ALL,
        local=nothing(d, status),
        pairs={},
        radius=np.nan,
        reach=np.nan,
        floor=np.nan,
        queries=queries,
        designs=0,
    )


def _waves(rows: int) -> list[range]:
    ends = [min(end, rows) for end in (0, *WAVES, rows)]
    return [range(*pair) for pair in itertools.pairwise(ends)]


def _check_names(what: str, names: tuple[str, ...] | None, count: int) -> None:
    if names is not None and len(names) != count:
        raise InputError(f"{what} needs {count} names; got {len(names)}.")
