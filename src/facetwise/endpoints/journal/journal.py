"""The layer that keeps every answer, and gives it again instead of asking."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.journal.identity import packed, questions, unpacked
from facetwise.endpoints.journal.session import Recalled, Session
from facetwise.endpoints.layer import Layer
from facetwise.endpoints.sameness import Sameness
from facetwise.errors import JournalError

RECOGNISED = 3
"""Rows asked anew to see that a model is the one that answered before: its name may
stand for another by now."""


class Journal(Layer):
    """Asks only what the session has no answer to; tells `recalled(rows, calls)`.

    To `recognise` the model, a few rows are asked although their answers are known. A
    drift guard above does that by itself, unless the run had come to its end.
    """

    def __init__(
        self,
        inner: Endpoint,
        session: Session,
        recalled: Callable[[int, int], None],
        recognise: bool = True,
    ) -> None:
        super().__init__(inner)
        self._session = session
        self._recalled = recalled
        self._lock = threading.Lock()
        self._recognised = not recognise

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of the rows X (n, d), kept before they are returned."""
        asked = self._session.recall(questions(X))
        fresh = np.flatnonzero([a.scores is None for a in asked])
        known = np.flatnonzero([a.scores is not None for a in asked])
        tried = self._to_recognise(known)
        sent = np.concatenate([tried, fresh])
        self._recalled(len(known) - len(tried), int(not sent.size))
        answers: list[bytes | None] = [a.scores for a in asked]
        if sent.size:
            scores = self._inner.scores(X[sent])
            self._compare([asked[i] for i in tried], scores[: len(tried)])
            kept = self._keep([asked[i] for i in fresh], scores[len(tried) :])
            for i, answer in zip(fresh, kept, strict=True):
                answers[i] = answer
        return self._together(answers)

    def _to_recognise(self, known: Ints) -> Ints:
        """Rows to ask again to see that the model is the same: once a session."""
        with self._lock:
            if self._recognised or not known.size:
                return known[:0]
            self._recognised = True
            return known[:RECOGNISED]

    def _compare(self, asked: Sequence[Recalled], scores: Floats) -> None:
        """Raise unless the model gives the answers that are kept."""
        if not asked:
            return
        before = self._together([a.scores for a in asked])
        if Sameness(single=True).agree(before, scores):
            return
        raise JournalError(
            f"The journal {self._session.path} holds other answers to this run than "
            f"{self.name} gives now, to {len(asked)} rows asked again. The model was "
            "replaced, or is random. Take another journal, or another seed, to begin "
            "anew; the answers of this run stay where they are."
        )

    def _keep(self, asked: Sequence[Recalled], scores: Floats) -> list[bytes]:
        if not asked:
            return []
        content, size = packed(scores), 8 * scores.shape[1]
        rows = [content[i : i + size] for i in range(0, len(content), size)]
        return self._session.keep(
            [(a.question, a.occurrence, y) for a, y in zip(asked, rows, strict=True)]
        )

    def _together(self, answers: Sequence[bytes | None]) -> Floats:
        """Answers as scores (n, C)."""
        if len({len(answer or b"") for answer in answers}) > 1:
            raise JournalError(
                f"{self.name} answers another number of scores a row than the journal "
                f"{self._session.path} holds. Take another journal for another model."
            )
        return unpacked(b"".join(a or b"" for a in answers)).reshape(len(answers), -1)
