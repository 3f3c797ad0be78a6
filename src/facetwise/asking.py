"""How one run asks its model: in what batches, through which layers, at what cost."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Self

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.noise import REPEATED
from facetwise.endpoints.budget import Budget
from facetwise.endpoints.drift import KNOWN, DriftGuard
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.estimate import allowance, estimate
from facetwise.endpoints.halt import Halt
from facetwise.endpoints.journal.identity import Identity, packed
from facetwise.endpoints.journal.session import Session
from facetwise.endpoints.layers import Limits, layered
from facetwise.endpoints.questions import Questions
from facetwise.errors import ResponseError
from facetwise.tables.instances import Instances
from facetwise.version import __version__

NUMBERS_A_BATCH = 2**20
"""Numbers sent in a call when the user leaves the batch size to us."""

SMALLEST_BATCH, LARGEST_BATCH = 16, 4096

ITERATIONS = {"algorithm1": 13}
"""Designs that a method usually pays for, where it is more than one: what the README's
table has."""


@dataclass(frozen=True, slots=True)
class Service:
    """A model, and how it may be asked; `Explainer` tells what each means.

    One that is `remote` costs money: it is watched for drift, and has a budget even
    where the user named none.
    """

    model: Endpoint
    remote: bool
    limits: Limits
    batch_size: int | None
    journal: str | PathLike[str] | None
    resume: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run of `rows` instances with `moving` features will take, by estimate.

    `max_queries` and `max_calls` are the most that it may take; None is no limit.
    """

    rows: int
    moving: int
    batch_size: int
    queries: int
    calls: int
    max_queries: int | None
    max_calls: int | None


def usual_batch(d: int) -> int:
    """Rows a call, of d features each, where nothing else is said."""
    return int(np.clip(NUMBERS_A_BATCH // d, SMALLEST_BATCH, LARGEST_BATCH))


def plan(service: Service, rows: Instances, method: str, waves: int) -> Plan:
    """What explaining these rows takes, in so many waves; nothing is asked."""
    n, d = rows.data.shape
    batch_size = service.batch_size or usual_batch(d)
    moving = int(np.count_nonzero(rows.domain.moving))
    work = n, ITERATIONS.get(method, 1) * moving, batch_size, waves
    limits = service.limits
    if service.remote:
        limits = _limited(limits, *allowance(*work))
    return Plan(n, moving, batch_size, *estimate(*work), limits.rows, limits.calls)


class Asking:
    """The model behind its layers, for one run; a `with` block ends its threads.

    `seed` is the one given, or that which a journal has kept of the run.
    """

    def __init__(
        self,
        service: Service,
        rows: Instances,
        settings: Mapping[str, Any],
        seed: int,
        waves: int,
        between: Callable[[], None],
    ) -> None:
        planned = plan(service, rows, settings["method"], waves)
        self.batch_size, self.moving = planned.batch_size, planned.moving
        self.limits = replace(
            service.limits, rows=planned.max_queries, calls=planned.max_calls
        )
        self.budget = Budget(self.limits.rows, self.limits.calls)
        self.seed, self._session = seed, None
        if service.journal is not None:
            identity = Identity(service.model.name, _said(rows, settings), rows.data)
            self._session = Session(service.journal, identity, seed, service.resume)
            self.seed = self._session.seed
        halt = Halt()
        self._endpoint = layered(
            service.model,
            rows.sent,
            self.limits,
            self.budget,
            halt,
            self._session,
            watched=service.remote,
        )
        self.guard: DriftGuard | None = None
        if service.remote:
            self._endpoint = self.guard = DriftGuard(self._endpoint)
            # For the last check, and to see what it finds.
            self.budget.set_aside(2 * REPEATED * KNOWN, 2 * REPEATED)
        self.questions = Questions(
            self._scores,
            self.batch_size,
            self.budget,
            self.limits.concurrency,
            halt,
            between,
        )
        self._lock = threading.Lock()
        self.classes = 0

    def __enter__(self) -> Self:
        self.questions.__enter__()
        return self

    def __exit__(self, *reason: object) -> None:
        self.questions.__exit__(*reason)
        if self._session is not None:
            self._session.close()

    def finish(self) -> None:
        """Note in the journal that the run came to its end."""
        if self._session is not None:
            self._session.finish()

    @property
    def most_rows(self) -> int:
        """Rows that the limits leave room for."""
        rows, calls = self.limits.rows, self.limits.calls
        most = sys.maxsize if rows is None else rows
        return most if calls is None else min(most, calls * self.batch_size)

    @property
    def check_is_due(self) -> bool:
        """Whether the model should be checked now, and can be."""
        due = self.guard is not None and self.guard.due
        return due and self.budget.affords(KNOWN, 1)

    @property
    def cost(self) -> dict[str, int | None]:
        """What was asked, what was sent for it, and what might have been.

        More is sent than asked where calls are tried again, and where known questions
        are asked to see that the model is still the same.
        """
        return {
            "max_queries": self.limits.rows,
            "max_calls": self.limits.calls,
            "queries": self.questions.asked,
            "calls": self.questions.calls,
            "sent_queries": self.budget.rows,
            "sent_calls": self.budget.calls,
        }

    def _scores(self, X: Floats) -> Floats:
        """Scores of the model, of the width that it began with."""
        scores = self._endpoint.scores(X)
        with self._lock:  # the first calls may come back at the same time
            self.classes = self.classes or scores.shape[1]
        if scores.shape[1] != self.classes:
            raise ResponseError(
                f"The model answered {scores.shape[1]} scores a row after "
                f"{self.classes} before. Is more than one model behind it?"
            )
        return scores


def _limited(limits: Limits, rows: int, calls: int) -> Limits:
    """Limits that the user named, or these."""
    return replace(
        limits,
        rows=limits.rows or rows,
        calls=limits.calls or calls,
    )


def _said(rows: Instances, settings: Mapping[str, Any]) -> dict[str, Any]:
    """All that decides what a run asks, but for the instances themselves."""
    domain = rows.domain
    limits = (domain.scale, domain.lower, domain.upper, domain.grain, domain.step)
    arrays = b"".join(packed(a) for a in (*limits, domain.moving.astype(float)))
    types = {} if rows.frames is None else rows.frames.dtypes
    return {
        **settings,
        "domain": hashlib.blake2b(arrays, digest_size=16).hexdigest(),
        "names": rows.names,
        "types": {str(j): str(dtype) for j, dtype in types.items()},
        "categories": rows.categories,
        "facetwise": __version__,
    }
