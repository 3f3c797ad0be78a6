"""One run: from instances to records, within a budget, whatever the model does."""

from __future__ import annotations

import itertools
import platform
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import scipy

from facetwise.asking import Asking, Service
from facetwise.core.algorithm1 import algorithm1
from facetwise.core.domain import Domain
from facetwise.core.memory import Memory
from facetwise.core.messages import Answers, Floats, Ints, Probes
from facetwise.core.noise import REPEATED
from facetwise.core.recover import recover
from facetwise.core.recovered import AGAINST_ALL, Recovered, nothing
from facetwise.core.response import LogOdds, Response
from facetwise.core.status import Status
from facetwise.core.task import Task
from facetwise.endpoints.budget import BudgetError
from facetwise.endpoints.drift import DriftError
from facetwise.explanation import Explanation, assemble
from facetwise.interleave import interleave
from facetwise.progress import Report
from facetwise.tables.instances import Instances
from facetwise.unconfirmed import Unconfirmed
from facetwise.version import __version__
from facetwise.wanted import Wanted

Method = Callable[[Task, Floats], Generator[Probes, Answers, Recovered]]

METHODS: dict[str, Method] = {"facetwise": recover, "algorithm1": algorithm1}

WAVE, LARGEST_WAVE = 16, 128
"""Rows of the first wave, and the most of any. A wave knows what those before it have
found: region sizes, and what is in memory. Fixed numbers, so that answers do not depend
on batches."""

NUMBERS_A_WAVE = 2**13
"""Numbers that the rows of a wave have together, or less: what a wave finds out twice
is paid for twice, and the more features there are the dearer it is."""

AMBITION = 2.5
"""Later rows begin at this multiple of the radius at which rows usually agree (their
geometric mean): two questions spent too far out cost less than digits do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for, checked; `Explainer` tells what each means."""

    service: Service
    wanted: Wanted
    domain: Domain
    method: str
    seed: int | None
    alpha: float
    precision: float
    memory: bool
    report: Report
    feature_names: tuple[str, ...] | None

    @property
    def questions(self) -> dict[str, Any]:
        """Those that decide what is asked, as JSON can hold them."""
        return {
            "target": None
            if self.wanted.target is None
            else self.wanted.target.tolist(),
            "versus": self.wanted.versus,
            "response": self.wanted.response,
            "method": self.method,
            "seed": self.seed,
            "confidence": 1.0 - self.alpha,
            "precision": self.precision,
            "memory": self.memory,
        }


class Run:
    """Explains data (n, d); `explanation` can be had at any moment."""

    def __init__(self, settings: Settings, rows: Instances) -> None:
        self._settings = settings
        self._rows = rows
        self._data = data = rows.data
        self._domain = rows.domain
        n, d = data.shape
        named = settings.wanted.named(n)
        fresh: Any = np.random.SeedSequence(settings.seed).entropy
        waves = len(in_waves(n, int(np.count_nonzero(rows.domain.moving))))
        self._asking = Asking(
            settings.service, rows, settings.questions, fresh, waves, self._between
        )
        self._entropy = self._asking.seed
        self._records = [_unasked(d, Status.NOT_ASKED, int(t)) for t in named]
        self._response: Response | None = None
        self._unconfirmed = Unconfirmed()
        self._drift: Status | None = None
        self._memory: Memory | None = None
        self._began = datetime.now(UTC)
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
        targets = self._understand(origins)
        for i in range(asked):
            self._records[i] = _unasked(d, Status.NOT_ASKED, int(targets[i]), 1)
        self._begin_to_watch(origins)
        done = n - asked
        if self._settings.memory:
            self._memory = Memory(self.classes, self._domain.moving, self._domain.scale)
        for wave in in_waves(asked, moving):
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
            if self._memory is not None:
                records = [self._records[i] for i in wave]
                told = [(t.read, t.x, r) for t, r in zip(tasks, records, strict=True)]
                self._memory.learn(told)

    def _understand(self, origins: Floats) -> Ints:
        """See what the scores are, and which class to explain for each instance."""
        wanted, implies = self._settings.wanted, self._settings.service.model.implies
        self._response = wanted.kind(origins, implies(self.classes))
        targets = wanted.targets(self._response, origins)
        for target in np.unique(targets):
            self._log_odds(int(target))  # a wrong `versus` is told before it costs
        return targets

    def _log_odds(self, target: int) -> LogOdds:
        assert self._response is not None
        return self._settings.wanted.log_odds(self._response, target, self.classes)

    def _begin_to_watch(self, origins: Floats) -> None:
        """Choose the questions that are asked again."""
        if self._asking.guard is not None:
            self._unconfirmed.rows.update(range(len(origins)))
            self._asking.guard.begin(self._data[: len(origins)], origins)
            self._unconfirmed.confirm()

    def _between(self) -> None:
        """Check the model when it is time."""
        if self._asking.check_is_due:
            self._confirm()

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

    def _unconfirmed_rows(self) -> list[int]:
        """Rows that were finished after the last check of the model, if it is watched.

        There are some only where the run broke off, or retries used up the budget.
        """
        if self._asking.guard is None:
            return []
        ended = (Status.NOT_ASKED, Status.OUT_OF_BUDGET, self._drift)
        doubtful = sorted(self._unconfirmed.rows)
        return [i for i in doubtful if self._records[i].status not in ended]

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
            "lower": self._domain.lower.tolist(),
            "upper": self._domain.upper.tolist(),
            "step": self._domain.step.tolist(),
            "table": frames.library.kind if (frames := self._rows.frames) else None,
            "categories": self._rows.categories,
            **self._asking.cost,
            "drift": None if self._drift is None else self._drift.name,
            "unconfirmed": self._unconfirmed_rows(),
            "started": self._began.isoformat(timespec="seconds"),
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
            settings.wanted.class_names,
            meta,
        )

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


def in_waves(rows: int, d: int) -> list[range]:
    """Rows in waves, each as large as all before it together up to the largest."""
    largest = int(np.clip(NUMBERS_A_WAVE // d, WAVE, LARGEST_WAVE))
    ends = [0, min(WAVE, rows)]
    while ends[-1] < rows:
        ends.append(min(rows, ends[-1] + min(ends[-1], largest)))
    return list(itertools.starmap(range, itertools.pairwise(ends)))
