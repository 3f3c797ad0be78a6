"""Asks known questions again, to see whether the model is still the one that it was.

A certificate speaks of the answers to one row; that all rows were answered by the same
model is seen here. The layer lies above the journal: its questions are kept like all
others, so that a run taken up again compares the service with what it was at first.
"""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.noise import REPEATED
from facetwise.core.status import Status
from facetwise.endpoints.budget import BudgetError
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.layer import Layer
from facetwise.endpoints.sameness import Sameness
from facetwise.errors import EndpointError

KNOWN = 4
"""Rows that are asked again: one alone may score 1 in any model."""

SPARING = 200
"""Rows asked for each one that is asked again: checks take half a percent."""


class DriftError(EndpointError):
    """The service does not answer known questions as it did; `status` says how."""

    def __init__(self, status: Status) -> None:
        super().__init__(str(status))
        self.status = status


class DriftGuard(Layer):
    """Passes rows on; takes the first ones for its known questions."""

    def __init__(self, inner: Endpoint) -> None:
        super().__init__(inner)
        self._sameness = Sameness()
        self._since = 0
        self._rows: Floats | None = None
        self._answers = np.empty((0, 0))
        self.checks = 0

    @property
    def due(self) -> bool:
        """Whether so much was asked since the last check that another one is due."""
        return self._since >= SPARING * KNOWN

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of rows, which are counted."""
        scores = self._inner.scores(X)
        self._since += len(X)
        return scores

    def begin(self, X: Floats, scores: Floats) -> None:
        """Take known questions from rows just answered; see how repeatable they are.

        Each time they are asked in a call of their own, and so in another batch than
        before, on which the answers of some services depend.
        """
        chosen = np.linspace(0, len(X) - 1, min(KNOWN, len(X))).astype(int)
        self._rows, self._answers = X[chosen].copy(), scores[chosen]
        self._sameness.see(scores)
        again = [self._ask() for _ in range(REPEATED)]
        for answers in again:
            self._sameness.learn(self._answers, answers)
        if not all(self._sameness.agree(self._answers, answers) for answers in again):
            raise DriftError(Status.UNSTABLE)
        self._since = 0
        self.checks += 1

    def check(self, times: int = 1) -> None:
        """Ask the known questions so many times, and raise if the answers moved."""
        for _ in range(times):
            answers = self._ask()
            if not self._sameness.agree(self._answers, answers):
                raise DriftError(self._kind_of(answers))
        self._since = 0
        self.checks += 1

    def _kind_of(self, answers: Floats) -> Status:
        """Whether the new answers are there to stay, if there is budget to see."""
        agree = self._sameness.agree
        try:
            stays = all(agree(answers, self._ask()) for _ in range(REPEATED))
        except BudgetError:
            return Status.CHANGED
        return Status.CHANGED if stays else Status.UNSTABLE

    def _ask(self) -> Floats:
        assert self._rows is not None
        return self._inner.scores(self._rows)
