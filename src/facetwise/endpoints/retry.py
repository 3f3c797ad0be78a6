"""Asks again what may go well the next time, and finds the rows that never do.

A service may answer 500 or 503 to one bad row among a thousand good ones, and may do
the same because it is down. What tells them apart is a row that it has answered before:
while that one goes well, the fault lies in the rows, and they are split until those
that are refused stand alone.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.endpoints.faults import Busy, Lost, Refused, TooLarge, Unusable
from facetwise.errors import EndpointError, InputError

TRIALS = 8
"""Rows asked alone, spread over a batch, in search of one that is answered. With so
many refused, it is the service or the question that is wrong, and not the rows."""


BRIEFLY = 2
"""Attempts for rows that are suspected, and for answers that blame the question."""


class Sized(Protocol):
    """What is retried: an endpoint that knows how many rows it can take."""

    @property
    def name(self) -> str:
        """What it is called."""

    def implies(self, classes: int) -> Response | None:
        """What is known of the scores beforehand."""

    def fits(self, X: Any) -> int:
        """How many of these rows go into one call, as far as is known."""

    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of the rows X, from one call."""


@dataclass(frozen=True)
class Patience:
    """How often and for how long a question is asked again; times are in seconds."""

    attempts: int = 6
    seconds: float = 300.0
    first_wait: float = 0.25
    longest_wait: float = 30.0

    def wait(self, attempt: int, chance: float) -> float:
        """Before the attempt after this one, counted from 1; `chance` is in [0, 1)."""
        whole = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return whole * (0.5 + 0.5 * chance)  # clients that failed at once drift apart

    def most(self, fault: EndpointError) -> int:
        """Attempts that such a fault is worth."""
        if not isinstance(fault, Refused):
            return self.attempts
        return min(self.attempts, BRIEFLY) if fault.passing else 1


DOUBTFUL = (Busy, Lost, Refused)
"""Faults that may pass, or that may be due to the rows."""


@dataclass
class Retry:
    """Asks `inner` as often as it takes to answer all rows, or to refuse some.

    `spend` is called with the number of rows before every attempt, and may raise;
    `busy` after every answer that asks for less.
    """

    inner: Sized
    spend: Callable[[int], None] = lambda rows: None
    busy: Callable[[], None] = lambda: None
    patience: Patience = Patience()
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    _good: Any = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        """What the service is called."""
        return self.inner.name

    def implies(self, classes: int) -> Response | None:
        """What the service is known to answer."""
        return self.inner.implies(classes)

    def scores(self, X: Any) -> Floats:
        """Scores (n, C); rows that are refused, while others are not, have NaN."""
        if not len(X):
            raise InputError("There are no rows to ask about; pass at least one.")
        size = self.inner.fits(X)
        parts = [X[i : i + size] for i in range(0, len(X), size)]
        return _joined([self._part(part, self.patience) for part in parts])

    def _part(self, X: Any, patience: Patience) -> Floats:
        """Scores of rows that should go into one call."""
        try:
            scores = self._patiently(X, patience)
        except TooLarge as fault:
            if len(X) == 1:
                raise Unusable(f"{fault} Not even one row fits.") from fault
            return self._halves(X, patience)
        except DOUBTFUL as fault:
            if isinstance(fault, Busy) and not fault.of_rows:
                raise
            return self._suspected(X, patience, fault)
        self._remember(X, scores)
        return scores

    def _halves(self, X: Any, patience: Patience) -> Floats:
        middle = len(X) // 2
        halves = X[:middle], X[middle:]
        return _joined([self._part(half, patience) for half in halves])

    def _suspected(self, X: Any, patience: Patience, fault: EndpointError) -> Floats:
        """Scores of rows that failed together, while others are answered still."""
        briefly = replace(self.patience, attempts=BRIEFLY)
        if len(X) > 1:
            if patience != briefly:  # else the search has begun, with a good row
                self._hold_a_good_row(X, briefly, fault)
            return self._halves(X, briefly)
        if self._good is None:
            raise fault
        try:
            good = self._patiently(self._good, self.patience)
        except DOUBTFUL as now:
            raise now from fault
        return np.full_like(good, np.nan)

    def _hold_a_good_row(
        self, X: Any, patience: Patience, fault: EndpointError
    ) -> None:
        """Have one row that is answered now; without, the rows are not to blame."""
        if self._good is not None:
            try:
                self._patiently(self._good, self.patience)
            except DOUBTFUL as now:
                raise now from fault
            return
        for i in np.linspace(0, len(X) - 1, min(TRIALS, len(X))).astype(int):
            row = X[i : i + 1]
            with contextlib.suppress(*DOUBTFUL):
                self._remember(row, self._patiently(row, patience))
            if self._good is not None:
                return
        raise fault

    def _remember(self, X: Any, scores: Floats) -> None:
        """Keep the first row that was answered in full."""
        answered = np.flatnonzero(~np.isnan(scores).any(axis=1))
        if self._good is None and answered.size:
            first = int(answered[0])
            self._good = X[first : first + 1]

    def _patiently(self, X: Any, patience: Patience) -> Floats:
        """Scores from one call, tried again while that may help."""
        begun = self.clock()
        for attempt in itertools.count(1):
            self.spend(len(X))
            try:
                return self.inner.scores(X)
            except DOUBTFUL as caught:
                fault: Busy | Lost | Refused = caught
            wait = patience.wait(attempt, self.chance())
            if isinstance(fault, Busy):
                self.busy()
                wait = max(wait, fault.wait or 0.0)
            spent = self.clock() - begun
            if attempt >= patience.most(fault) or spent + wait > patience.seconds:
                raise told_of(fault, attempt, spent)
            self.sleep(wait)
        raise AssertionError  # counting has no end


def told_of(fault: EndpointError, attempts: int, seconds: float) -> EndpointError:
    """The fault, with a word on how often it was met."""
    if attempts > 1:
        fault.args = (f"{fault} Asked {attempts} times in {seconds:.0f} s.",)
    return fault


def _joined(parts: list[Floats]) -> Floats:
    widths = {part.shape[1] for part in parts}
    if len(widths) > 1:
        raise Unusable(
            f"The service answers {min(widths)} scores to some rows and {max(widths)} "
            "to others. Is more than one model behind it?"
        )
    return np.vstack(parts)
