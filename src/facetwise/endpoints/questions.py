"""Asks in batches, several at a time, while the budget lasts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from concurrent.futures import (
    ALL_COMPLETED,
    FIRST_COMPLETED,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from typing import Self

import numpy as np

from facetwise.core.messages import Answers, Floats
from facetwise.endpoints.budget import Budget
from facetwise.endpoints.halt import Halt, Halted

Scores = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One batch on its way, or back; calls are numbered from the first of a run."""

    number: int
    rows: int
    scores: Future[Floats]


class Questions:
    """Asks a model in batches, several at a time, while the budget lasts.

    The scores are asked for where the budget is spent: what it affords here is a plan.
    Threads live as long as the `with` block. `between` is called before questions are
    sent, when all that ended before has been handed on.
    """

    def __init__(
        self,
        scores: Scores,
        batch_size: int,
        budget: Budget,
        concurrency: int,
        halt: Halt,
        between: Callable[[], None] = lambda: None,
    ) -> None:
        self._scores = scores
        self.batch_size = batch_size
        self._budget = budget
        self.concurrency = concurrency
        self._halt = halt
        self.between = between
        self._threads: ThreadPoolExecutor | None = None
        self.calls = 0
        self.asked = 0

    def __enter__(self) -> Self:
        if self.concurrency > 1:
            self._threads = ThreadPoolExecutor(self.concurrency, "facetwise")
        return self

    def __exit__(self, *reason: object) -> None:
        if self._threads is not None:
            self._halt.put_up()
            self._threads.shutdown()

    @property
    def capacity(self) -> int:
        """Rows that can be under way at a time."""
        return self.batch_size * self.concurrency

    def affordable(self, rows: int, out: Collection[Call] = ()) -> bool:
        """Whether that many rows more stay within the budget, beside calls under way.

        Those may have been counted already, so that it may say no too soon.
        """
        calls = math.ceil(rows / self.batch_size) + len(out)
        return self._budget.affords(rows + sum(call.rows for call in out), calls)

    def ask(self, X: Floats) -> Answers:
        """Scores of X and the call that each row came back in."""
        self.between()
        size = self.batch_size
        calls = [self.send(X[i : i + size]) for i in range(0, len(X), size)]
        self.answered(calls, ALL_COMPLETED)
        return Answers(
            np.concatenate([call.scores.result() for call in calls]),
            np.repeat([c.number for c in calls], [c.rows for c in calls]),
        )

    def send(self, X: Floats) -> Call:
        """Send a batch on its way; without threads it is back at once."""
        if self._threads is None:
            scores: Future[Floats] = Future()
            scores.set_result(self._scores(X))
        else:
            scores = self._threads.submit(self._unless_halted, X)
        self.asked += len(X)
        self.calls += 1
        return Call(self.calls - 1, len(X), scores)

    def answered(
        self, calls: Collection[Call], when: str = FIRST_COMPLETED
    ) -> list[Call]:
        """Those of the calls that are back, once the first or all of them are.

        When one fails, no other is sent, and the fault is raised when all have ended.
        """
        futures = [call.scores for call in calls]
        try:
            wait(futures, return_when=when)
            done = [call for call in calls if call.scores.done()]
            if any(call.scores.exception() for call in done):
                wait(futures)
        except BaseException:  # Ctrl-C reaches the main thread while it waits
            self._halt.put_up()
            raise
        faults = [f.exception() for f in futures if f.done()]
        for fault in faults:
            if fault is not None and not isinstance(fault, Halted):
                raise fault
        return done

    def _unless_halted(self, batch: Floats) -> Floats:
        self._halt.check()
        try:
            return self._scores(batch)
        except BaseException:
            self._halt.put_up()
            raise
