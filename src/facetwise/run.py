"""One run: from instances to records, within a budget, whatever the model does."""

from __future__ import annotations

import itertools
import platform
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import scipy

from facetwise.core.algorithm1 import algorithm1
from facetwise.core.domain import Domain
from facetwise.core.memory import Memory
from facetwise.core.messages import Answers, Floats, Ints, Probes
from facetwise.core.recover import recover
from facetwise.core.recovered import AGAINST_ALL, Recovered, nothing
from facetwise.core.response import LogOdds, Response, infer_response
from facetwise.core.status import Status
from facetwise.core.task import Task
from facetwise.endpoints.endpoint import Endpoint
from facetwise.errors import InputError, ResponseError
from facetwise.explanation import Explanation, assemble
from facetwise.interleave import Questions, interleave
from facetwise.progress import Report
from facetwise.tables.instances import Instances
from facetwise.version import __version__

Method = Callable[[Task, Floats], Generator[Probes, Answers, Recovered]]

METHODS: dict[str, Method] = {"facetwise": recover, "algorithm1": algorithm1}

NUMBERS_A_BATCH = 2**20
"""Numbers sent in a call when the user leaves the batch size to us."""

SMALLEST_BATCH, LARGEST_BATCH = 16, 4096

WAVE, LARGEST_WAVE = 16, 128
"""Rows of the first wave, and the most of any. A wave knows what those before it have
found: region sizes, and what is in memory. Fixed numbers, so that answers do not depend
on batches."""

NUMBERS_A_WAVE = 2**13
"""Numbers that the rows of a wave have together, or less: what a wave finds out twice
is paid for twice, and the more features there are the dearer it is."""

NOT_KNOWN = -1
"""The target of a row that was to be explained for its predicted class, and was never
asked."""

AMBITION = 2.5
"""Later rows begin at this multiple of the radius at which rows usually agree (their
geometric mean): two questions spent too far out cost less than digits do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for, checked; `Explainer` tells what each means."""

    model: Endpoint
    target: Ints | None
    versus: int | None
    domain: Domain
    response: str
    method: str
    seed: int | None
    alpha: float
    precision: float
    memory: bool
    max_queries: int | None
    batch_size: int | None
    concurrency: int
    report: Report
    feature_names: tuple[str, ...] | None
    class_names: tuple[str, ...] | None


class Run:
    """Explains data (n, d); `explanation` can be had at any moment."""

    def __init__(self, settings: Settings, rows: Instances) -> None:
        self._settings = settings
        self._rows = rows
        self._data = data = rows.data
        self._domain = rows.domain
        self._entropy = np.random.SeedSequence(settings.seed).entropy
        n, d = data.shape
        if settings.target is not None and settings.target.shape not in ((), (n,)):
            raise InputError(
                f"target needs one class, or one for each of the {n} rows; got "
                f"{len(settings.target)}."
            )
        auto = int(np.clip(NUMBERS_A_BATCH // d, SMALLEST_BATCH, LARGEST_BATCH))
        self._batch_size = settings.batch_size or auto
        self._questions = Questions(
            self._scores, self._batch_size, settings.max_queries, settings.concurrency
        )
        named = NOT_KNOWN if settings.target is None else settings.target
        self._records = [
            _unasked(d, Status.NOT_ASKED, int(target))
            for target in np.broadcast_to(named, (n,))
        ]
        self._response: Response | None = None
        self._memory: Memory | None = None
        self._began = datetime.now(UTC)
        self._started = time.perf_counter()
        self.classes = 0

    def advance(self) -> None:
        """Ask about every instance, as far as budget and model allow."""
        n, d = self._data.shape
        moving = int(np.count_nonzero(self._domain.moving))
        limit = self._settings.max_queries
        # Asking more rows than can be finished would only use the limit up.
        asked = n if limit is None else min(n, max(1, limit // (moving + 3)))
        for i in range(asked, n):
            self._records[i] = _unasked(
                d, Status.OUT_OF_BUDGET, self._records[i].target
            )
        origins = self._questions.ask(self._data[:asked].copy()).scores
        self._response = self._kind(origins)
        targets = self._targets(origins)
        for target in np.unique(targets):
            self._log_odds(int(target))  # a wrong `versus` is told before it costs
        for i in range(asked):
            self._records[i] = _unasked(d, Status.NOT_ASKED, int(targets[i]), 1)
        done = n - asked
        if self._settings.memory:
            self._memory = Memory(self.classes, self._domain.moving, self._domain.scale)
        for wave in _waves(asked, moving):
            start = self._likely_reach()
            tasks = [self._task(i, int(targets[i]), start) for i in wave]
            recoveries = [
                METHODS[self._settings.method](task, origins[i])
                for i, task in zip(wave, tasks, strict=True)
            ]
            ended = interleave(recoveries, self._questions, moving, self._batch_size)
            for end in ended:
                i, done = wave[end.index], done + 1
                self._records[i] = end.result or _unasked(
                    d, Status.OUT_OF_BUDGET, int(targets[i]), 1 + end.asked
                )
                self._settings.report(done, n, self._questions.asked)
            if self._memory is not None:
                records = [self._records[i] for i in wave]
                told = [(t.read, t.x, r) for t, r in zip(tasks, records, strict=True)]
                self._memory.learn(told)

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
            "lower": self._domain.lower.tolist(),
            "upper": self._domain.upper.tolist(),
            "step": self._domain.step.tolist(),
            "table": frames.library.kind if (frames := self._rows.frames) else None,
            "categories": self._rows.categories,
            "max_queries": settings.max_queries,
            "queries": self._questions.asked,
            "calls": self._questions.calls,
            "started": self._began.isoformat(timespec="seconds"),
            "seconds": time.perf_counter() - self._started,
            "model": settings.model.name,
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

    def _scores(self, X: Floats) -> Floats:
        """Scores of the model, of the width that it began with."""
        scores = self._settings.model.scores(self._rows.sent(X))
        if self.classes and scores.shape[1] != self.classes:
            raise ResponseError(
                f"The model answered {scores.shape[1]} scores a row after "
                f"{self.classes} before. Is more than one model behind it?"
            )
        self.classes = scores.shape[1]
        return scores

    def _kind(self, origins: Floats) -> Response:
        """What the scores are: as the user says, the method implies, or they look."""
        _check_names("class_names", self._settings.class_names, self.classes)
        if self._settings.response != "auto":
            return self._said(Response(self._settings.response))
        if (implied := self._settings.model.implies(self.classes)) is not None:
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
        return Task(x, read, self._domain, alpha, seed, precision, start, self._memory)

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


def _waves(rows: int, d: int) -> list[range]:
    """Rows in waves, each as large as all before it together up to the largest."""
    largest = int(np.clip(NUMBERS_A_WAVE // d, WAVE, LARGEST_WAVE))
    ends = [0, min(WAVE, rows)]
    while ends[-1] < rows:
        ends.append(min(rows, ends[-1] + min(ends[-1], largest)))
    return list(itertools.starmap(range, itertools.pairwise(ends)))


def _check_names(what: str, names: tuple[str, ...] | None, count: int) -> None:
    if names is not None and len(names) != count:
        raise InputError(f"{what} needs {count} names; got {len(names)}.")
