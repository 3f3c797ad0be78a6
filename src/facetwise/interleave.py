"""Advances many recoveries together, so that a model is asked in full batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from facetwise.core.messages import Answers, Floats, Probes
from facetwise.core.recovered import Recovered
from facetwise.endpoints.questions import Call, Questions

Recovery = Generator[Probes, Answers, Recovered]

FULL_BATCHES = 2
"""Batches that the recoveries under way should be able to fill together, for each call
that may be under way."""

LEAST_TOGETHER, MOST_TOGETHER = 4, 1024
"""Recoveries under way at a time: at least, for each call, and at most."""

AHEAD = 4
"""Full batches that are handed over, for each call that may be under way: the next ones
are there while the engine thinks, or has the model checked."""

USUAL_REST = 32
"""Questions beyond d that a recovery usually asks, with some to spare."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a recovery ended: with no result if the limit on questions cut it short."""

    index: int
    result: Recovered | None
    asked: int


@dataclass(slots=True, eq=False)
class _Underway:
    """A recovery that waits for answers to `wants`, of which some rows were sent.

    `heard` has answers by the place of their first row; `asked` counts rows that were
    answered before.
    """

    index: int
    recovery: Recovery
    wants: Floats
    asked: int = 0
    sent: int = 0
    heard: dict[int, Answers] = field(default_factory=dict)

    def expects(self, usual: int) -> int:
        """Questions that it will still ask, if it costs what is usual."""
        return max(usual - self.asked, len(self.wants)) - self.sent

    def hear(self, start: int, part: Answers) -> Answers | None:
        """Take answers to rows from `start` on; all of them, if none is missing."""
        self.heard[start] = part
        parts = [self.heard[start] for start in sorted(self.heard)]
        if sum(len(part.scores) for part in parts) < len(self.wants):
            return None
        return Answers(
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.batch for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class _Share:
    """The rows of a batch that one recovery asked for, from its row `start` on."""

    underway: _Underway
    start: int
    rows: int


def interleave(
    recoveries: Sequence[Recovery],
    questions: Questions,
    d: int,
) -> Iterator[Ended]:
    """Run recoveries of d features; tells of each one as it ends.

    Under a limit only as many are begun as can be expected to be finished, and if
    that was too many the last ones are cut.
    """
    return _Interleaved(recoveries, questions, d).run()


class _Interleaved:
    """Recoveries in a row: some wait to begin, some are under way, with calls out.

    A recovery goes on as soon as its own answers are back, while other calls are still
    out: so the service and the engine work at the same time.
    """

    def __init__(
        self, recoveries: Sequence[Recovery], questions: Questions, d: int
    ) -> None:
        together = FULL_BATCHES * questions.capacity // d
        least = LEAST_TOGETHER * questions.concurrency
        self._most = int(np.clip(together, least, MOST_TOGETHER))
        self._questions = questions
        self._nothing = np.empty((0, d))
        self._usual = d + USUAL_REST
        self._waiting = deque(enumerate(recoveries))
        self._underway: list[_Underway] = []
        self._unsent: deque[_Underway] = deque()
        self._out: dict[Call, list[_Share]] = {}

    def run(self) -> Iterator[Ended]:
        """All of them, from the first to the last."""
        while True:
            yield from self._begin()
            if not self._out:
                yield from self._cut()
                if not self._underway:
                    break
            self._send()
            yield from self._hear()
        for index, _ in self._waiting:
            yield Ended(index, None, 0)

    def _begin(self) -> Iterator[Ended]:
        """Begin as many as there is room and budget for."""
        usual, underway = self._usual, self._underway
        expected = usual + sum(u.expects(usual) for u in underway)
        while self._waiting and len(underway) < self._most:
            if underway and not self._questions.affordable(expected, self._out):
                break
            index, recovery = self._waiting.popleft()
            begun = _Underway(index, recovery, self._nothing)
            underway.append(begun)
            yield from self._go_on(begun, None)
            if begun in underway:
                expected += begun.expects(usual)

    def _cut(self) -> Iterator[Ended]:
        """End the last ones when there is no budget for what all want next."""
        while self._underway and not self._questions.affordable(self._wanted):
            cut = self._underway.pop()
            if cut in self._unsent:
                self._unsent.remove(cut)
            yield Ended(cut.index, None, cut.asked + cut.sent)

    def _send(self) -> None:
        """Send batches while there is something to send, and a call to spare."""
        self._questions.between()
        while self._unsent and self._may_send(self._wanted):
            shares = self._next_batch()
            rows = [s.underway.wants[s.start : s.start + s.rows] for s in shares]
            self._out[self._questions.send(np.concatenate(rows))] = shares

    def _may_send(self, wanted: int) -> bool:
        """Whether another batch should go out now, of so many rows that are wanted."""
        questions, out = self._questions, len(self._out)
        if not out:
            return True
        # Whether something has to be cut is seen when all that is out is back.
        if not questions.affordable(wanted, self._out):
            return False
        full = wanted >= questions.batch_size
        return out < questions.concurrency * (AHEAD if full else 1)

    def _next_batch(self) -> list[_Share]:
        """The rows to go out next, and whose they are."""
        room, shares = self._questions.batch_size, []
        while room and self._unsent:
            u = self._unsent[0]
            rows = min(room, len(u.wants) - u.sent)
            shares.append(_Share(u, u.sent, rows))
            u.sent += rows
            room -= rows
            if u.sent == len(u.wants):
                self._unsent.popleft()
        return shares

    def _hear(self) -> Iterator[Ended]:
        """Hand on the answers that are back; wait for the first if there are none."""
        for call in self._questions.answered(self._out):
            scores, start = call.scores.result(), 0
            for share in self._out.pop(call):
                stop = start + share.rows
                batch = np.full(share.rows, call.number)
                part = Answers(scores[start:stop], batch)
                whole = share.underway.hear(share.start, part)
                if whole is not None:
                    yield from self._go_on(share.underway, whole)
                start = stop

    def _go_on(self, u: _Underway, answers: Answers | None) -> Iterator[Ended]:
        """Hand answers to a recovery, or begin it, and hear what it asks next."""
        u.asked, u.sent, u.heard = u.asked + len(u.wants), 0, {}
        try:
            probes = u.recovery.send(answers) if answers else next(u.recovery)
        except StopIteration as end:
            self._underway.remove(u)
            yield Ended(u.index, end.value, u.asked)
        else:
            u.wants = probes.points
            # Who goes on comes before those that begin: its few questions travel with
            # their many, and not alone when these are all done.
            (self._unsent.appendleft if answers else self._unsent.append)(u)

    @property
    def _wanted(self) -> int:
        """Rows that are to be asked next, and were not sent yet."""
        return sum(len(u.wants) - u.sent for u in self._unsent)
