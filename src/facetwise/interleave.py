"""Advances many recoveries together, so that a model is asked in full batches."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np

from facetwise.core.messages import Answers, Floats, Probes
from facetwise.core.recovered import Recovered
from facetwise.endpoints.budget import Budget
from facetwise.endpoints.halt import Halt, Halted

Recovery = Generator[Probes, Answers, Recovered]
Scores = Callable[[Floats], Floats]

FULL_BATCHES = 2
"""Batches that the recoveries under way should be able to fill together, for each call
that may be under way."""

LEAST_TOGETHER, MOST_TOGETHER = 4, 1024
"""Recoveries under way at a time, at least and at most."""

USUAL_REST = 32
"""Questions beyond d that a recovery usually asks, with some to spare."""


class Questions:
    """Asks a model in batches, several at a time, while the budget lasts.

    The scores are asked for where the budget is spent: what it affords here is a plan.
    Threads live as long as the `with` block. `between` is called before each round of
    questions, when all that ended before it has been handed on.
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
        self._batch_size = batch_size
        self._budget = budget
        self._concurrency = concurrency
        self._halt = halt
        self._between = between
        self._threads: ThreadPoolExecutor | None = None
        self.calls = 0
        self.asked = 0

    def __enter__(self) -> Self:
        if self._concurrency > 1:
            self._threads = ThreadPoolExecutor(self._concurrency, "facetwise")
        return self

    def __exit__(self, *reason: object) -> None:
        if self._threads is not None:
            self._halt.put_up()
            self._threads.shutdown()

    @property
    def capacity(self) -> int:
        """Rows that can be under way at a time."""
        return self._batch_size * self._concurrency

    def affordable(self, rows: int) -> bool:
        """Whether that many rows more stay within the budget."""
        return self._budget.affords(rows, math.ceil(rows / self._batch_size))

    def ask(self, X: Floats) -> Answers:
        """Scores of X and the call that each row came back in."""
        self._between()
        self.asked += len(X)
        size = self._batch_size
        batches = [X[i : i + size] for i in range(0, len(X), size)]
        if self._threads is not None and len(batches) > 1:
            scores = self._together(self._threads, batches)
        else:
            scores = [self._scores(batch) for batch in batches]
        calls = self.calls + np.repeat(
            np.arange(len(batches)), [len(batch) for batch in batches]
        )
        self.calls += len(batches)
        return Answers(np.concatenate(scores), calls)

    def _together(
        self, threads: ThreadPoolExecutor, batches: list[Floats]
    ) -> list[Floats]:
        """Scores of batches; the first that fails keeps others from being sent."""
        futures = [threads.submit(self._unless_halted, batch) for batch in batches]
        try:
            faults = [fault for f in futures if (fault := f.exception()) is not None]
        except BaseException:  # Ctrl-C reaches the main thread while it waits
            self._halt.put_up()
            raise
        for fault in faults:
            if not isinstance(fault, Halted):
                raise fault
        return [f.result() for f in futures]

    def _unless_halted(self, batch: Floats) -> Floats:
        self._halt.check()
        try:
            return self._scores(batch)
        except BaseException:
            self._halt.put_up()
            raise


@dataclass(frozen=True, slots=True)
class Ended:
    """How a recovery ended: with no result if the limit on questions cut it short."""

    index: int
    result: Recovered | None
    asked: int


@dataclass(slots=True)
class _Underway:
    """A recovery that waits for answers to `wants`."""

    index: int
    recovery: Recovery
    wants: Floats
    asked: int = 0

    def expects(self, usual: int) -> int:
        """Questions that it will still ask, if it costs what is usual."""
        return max(usual - self.asked, len(self.wants))


def interleave(
    recoveries: Sequence[Recovery],
    questions: Questions,
    d: int,
) -> Iterator[Ended]:
    """Run recoveries of d features; tells of each one as it ends.

    Under a limit only as many are begun as can be expected to be finished, and if
    that was too many the last ones are cut.
    """
    fitting = int(
        np.clip(FULL_BATCHES * questions.capacity // d, LEAST_TOGETHER, MOST_TOGETHER)
    )
    usual = d + USUAL_REST
    waiting = deque(enumerate(recoveries))
    underway: list[_Underway] = []
    while True:
        while waiting and len(underway) < fitting:
            expected = usual + sum(u.expects(usual) for u in underway)
            if underway and not questions.affordable(expected):
                break
            index, recovery = waiting.popleft()
            begun = _advance(_Underway(index, recovery, np.empty((0, d))), None)
            if isinstance(begun, Ended):
                yield begun
            else:
                underway.append(begun)
        while underway and not questions.affordable(_wanted(underway)):
            cut = underway.pop()
            yield Ended(cut.index, None, cut.asked)
        if not underway:
            break
        answers = questions.ask(np.concatenate([u.wants for u in underway]))
        ends = np.cumsum([len(u.wants) for u in underway])[:-1]
        parts = zip(
            np.split(answers.scores, ends), np.split(answers.batch, ends), strict=True
        )
        before, underway = underway, []
        for u, part in zip(before, parts, strict=True):
            after = _advance(u, Answers(*part))
            if isinstance(after, Ended):
                yield after
            else:
                underway.append(after)
    for index, _ in waiting:
        yield Ended(index, None, 0)


def _wanted(underway: list[_Underway]) -> int:
    """Questions that are to be asked next."""
    return sum(len(u.wants) for u in underway)


def _advance(u: _Underway, answers: Answers | None) -> _Underway | Ended:
    """Hand answers to a recovery, or begin it, and hear what it asks next."""
    u.asked += len(u.wants)
    try:
        probes = u.recovery.send(answers) if answers else next(u.recovery)
    except StopIteration as end:
        return Ended(u.index, end.value, u.asked)
    u.wants = probes.points
    return u
