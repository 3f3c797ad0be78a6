"""Whether what memory tries pays, and how long to leave it where it does not."""

from __future__ import annotations

from collections.abc import Sequence

from facetwise.core.recovered import Recovered
from facetwise.core.status import Status

SURE = (Status.CERTIFIED, Status.PARTLY_CERTIFIED)


class Patience:
    """Rests after a wave in which trying did not pay, ever longer while it does not.

    It pays where a certified row has cost no more questions than without: certificates
    that are lost count, and so do questions that were asked in vain.
    """

    def __init__(self) -> None:
        self._questions = self._certified = 0.0
        self._rest = self._pause = 0

    @property
    def is_resting(self) -> bool:
        """Whether another try has to wait."""
        return self._rest > 0

    def judge(self, tried: Sequence[Recovered], others: Sequence[Recovered]) -> None:
        """Hear of the rows of a wave: those where something was tried, and others."""
        self._rest = max(0, self._rest - 1)
        if others:
            # Rows of late tell more of those to come.
            questions, certified = _cost(others)
            self._questions = self._questions / 2.0 + questions
            self._certified = self._certified / 2.0 + certified
        if tried:
            questions, certified = _cost(tried)
            paid = questions * self._certified <= self._questions * certified
            self._pause = 0 if paid else 2 * self._pause + 1
            self._rest = self._pause


def _cost(records: Sequence[Recovered]) -> tuple[int, int]:
    """Questions that rows have cost, and how many of them are certified."""
    questions = sum(record.queries for record in records)
    return questions, sum(record.status in SURE for record in records)
