"""Advances many recoveries together, so that a model is asked in full batches."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Answers, Floats, Probes
from facetwise.core.recovered import Recovered

Recovery = Generator[Probes, Answers, Recovered]
Scores = Callable[[Floats], Floats]

FULL_BATCHES = 2
"""Batches that the recoveries under way should be able to fill together."""

LEAST_TOGETHER, MOST_TOGETHER = 4, 1024
"""Recoveries under way at a time, at least and at most."""


class Questions:
    """Asks a model in batches, up to a hard limit on rows."""

    def __init__(
        self, scores: Scores, batch_size: int, limit: int | None, concurrency: int
    ) -> None:
        self._scores = scores
        self._batch_size = batch_size
        self._limit = limit
        self._concurrency = concurrency
        self.calls = 0
        self.asked = 0

    def affordable(self, rows: int) -> bool:
        """Whether that many rows more stay within the limit."""
        return self._limit is None or self.asked + rows <= self._limit

    def ask(self, X: Floats) -> Answers:
        """Scores of X and the call that each row came back in."""
        self.asked += len(X)
        size = self._batch_size
        batches = [X[i : i + size] for i in range(0, len(X), size)]
        if self._concurrency > 1 and len(batches) > 1:
            with ThreadPoolExecutor(self._concurrency) as pool:
                scores = list(pool.map(self._scores, batches))
        else:
            scores = [self._scores(batch) for batch in batches]
        calls = self.calls + np.repeat(
            np.arange(len(batches)), [len(batch) for batch in batches]
        )
        self.calls += len(batches)
        return Answers(np.concatenate(scores), calls)


@dataclass(slots=True)
class Underway:
    """A recovery that waits for answers to `wants`."""

    index: int
    recovery: Recovery
    wants: Probes


def interleave(
    recoveries: Sequence[Recovery],
    questions: Questions,
    d: int,
    batch_size: int,
) -> Iterator[tuple[int, Recovered | None]]:
    """Run recoveries of d features: yields (index, result) as each one ends.

    The result is None for those that the limit on questions cut short. They are cut
    from the last backwards, so that the first ones can still be finished.
    """
    together = int(
        np.clip(FULL_BATCHES * batch_size // d, LEAST_TOGETHER, MOST_TOGETHER)
    )
    waiting = iter(enumerate(recoveries))
    underway: list[Underway] = []
    while True:
        for index, recovery in waiting:
            try:
                underway.append(Underway(index, recovery, next(recovery)))
            except StopIteration as end:
                yield index, end.value
            if len(underway) == together:
                break
        while not questions.affordable(sum(len(u.wants.points) for u in underway)):
            yield underway.pop().index, None
        if not underway:
            break
        answers = questions.ask(np.concatenate([u.wants.points for u in underway]))
        still: list[Underway] = []
        start = 0
        for u in underway:
            stop = start + len(u.wants.points)
            part = Answers(answers.scores[start:stop], answers.batch[start:stop])
            start = stop
            try:
                still.append(Underway(u.index, u.recovery, u.recovery.send(part)))
            except StopIteration as end:
                yield u.index, end.value
        underway = still
