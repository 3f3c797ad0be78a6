"""Asks again what may go well the next time, and finds the rows that never do.

A service may answer 500 or 503 to one bad row among a thousand good ones, and may do
the same because it is down. What tells them apart is a row that it has answered before:
while that one goes well, the fault lies in the rows, and they are split until those
that are refused stand alone. When all are answered in smaller batches, the batch was
too large, and no call has as many rows any more.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.endpoints.faults import (
    Busy,
    Lost,
    Refused,
    TimedOut,
    TooLarge,
    Unavailable,
    Unusable,
)
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

    def keep_to(self, rows: int) -> None:
        """Learn that more rows than these do not go well in one call."""

    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of the rows X, from one call."""


@dataclass(frozen=True)
class Patience:
    """How often and for how long a question is asked again; times are in seconds."""

    attempts: int = 8
    seconds: float = 300.0
    first_wait: float = 0.25
    longest_wait: float = 30.0

    def wait(self, attempt: int, chance: float) -> float:
        """Before the attempt after this one, counted from 1; `chance` is in [0, 1)."""
        whole = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return whole * (0.5 + 0.5 * chance)  # clients that failed at once drift apart


PASSING = (Busy, Lost, Refused)
"""Faults that may pass."""

OF_ROWS = (Unavailable, Lost, Refused)
"""Faults that may be due to the rows."""


@dataclass
class Retry:
    """Asks `inner` as often as it takes to answer all rows, or to refuse some.

    `spend` is called with the number of rows before every attempt, and may raise;
    `busy` after every answer that asks for less, or does not come in time.
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
        return _joined([self._part(part, X) for part in self._fitting(X)])

    def _fitting(self, X: Any) -> list[Any]:
        """The rows in as many parts as it takes for each to go into one call."""
        size = self.inner.fits(X)
        return [X[i : i + size] for i in range(0, len(X), size)]

    def _part(self, X: Any, among: Any) -> Floats:
        """Scores of rows that should go into one call, some of those asked about."""
        try:
            return self._answered(X, self.patience.attempts)
        except TooLarge as fault:
            return _halved(X, lambda half: self._part(half, among), fault)
        except TimedOut as fault:
            self._hold_a_good_row(among, fault)
            return self._suspected(X)  # now that the service is known to answer
        except OF_ROWS as fault:
            self._hold_a_good_row(among, fault)
            return self._searched(X, fault)

    def _suspected(self, X: Any) -> Floats:
        """Scores of some of the rows that failed together."""
        if self.inner.fits(X) < len(X):
            return _joined([self._suspected(part) for part in self._fitting(X)])
        try:
            return self._answered(X, BRIEFLY)
        except TooLarge as fault:
            return _halved(X, self._suspected, fault)
        except OF_ROWS as fault:
            return self._searched(X, fault)

    def _searched(self, X: Any, fault: EndpointError) -> Floats:
        """Scores of rows that failed together, while another is answered."""
        if len(X) > 1:
            scores = _halved(X, self._suspected, fault)
            if _may_be_of_size(fault) and not np.isnan(scores).any():
                self.inner.keep_to(len(X) // 2)
            return scores
        return np.full_like(self._good_now(fault), np.nan)

    def _hold_a_good_row(self, X: Any, fault: EndpointError) -> None:
        """Have one row that is answered now; without, the rows are not to blame."""
        if self._good is not None:
            self._good_now(fault)
            return
        for i in np.linspace(0, len(X) - 1, min(TRIALS, len(X))).astype(int):
            try:
                self._answered(X[i : i + 1], BRIEFLY)
            except TimedOut:
                break  # one row in vain: others would only take as long again
            except OF_ROWS:
                continue
            if self._good is not None:
                return
        raise fault

    def _good_now(self, fault: EndpointError) -> Floats:
        """Scores of the row that was answered before, which the service owes still."""
        try:
            return self._answered(self._good, self.patience.attempts)
        except OF_ROWS as now:
            raise now from fault

    def _answered(self, X: Any, attempts: int) -> Floats:
        """Scores from one call; the first row that is answered in full is kept."""
        scores = self._patiently(X, attempts)
        whole = np.flatnonzero(~np.isnan(scores).any(axis=1))
        if self._good is None and whole.size:
            first = int(whole[0])
            self._good = X[first : first + 1]
        return scores

    def _patiently(self, X: Any, attempts: int) -> Floats:
        """Scores from one call, tried again while that may help."""
        begun, attempt = self.clock(), 0
        while True:
            attempt += 1
            self.spend(len(X))
            try:
                return self.inner.scores(X)
            except PASSING as caught:
                fault = caught
            wait = self.patience.wait(attempt, self.chance())
            if isinstance(fault, Busy | TimedOut):
                self.busy()
            if isinstance(fault, Busy):
                wait = max(wait, fault.wait or 0.0)
            spent = self.clock() - begun
            last = attempt >= self._most(fault, attempts, len(X))
            if last or spent + wait > self.patience.seconds:
                raise _told(fault, attempt, spent)
            self.sleep(wait)

    def _most(self, fault: EndpointError, attempts: int, rows: int) -> int:
        """How many attempts a fault is worth, of those that so many rows are worth."""
        if not isinstance(fault, OF_ROWS):
            return self.patience.attempts  # it says nothing of the rows
        if isinstance(fault, Refused):
            return min(attempts, BRIEFLY) if fault.passing else 1
        if isinstance(fault, TimedOut) and rows > 1:
            return 1  # each takes all the time that there is: fewer rows may not
        return attempts


def _may_be_of_size(fault: EndpointError) -> bool:
    """Whether fewer rows may be what helped, and not mere chance."""
    return isinstance(fault, TimedOut) or (
        isinstance(fault, Refused) and not fault.passing
    )


def _halved(X: Any, ask: Callable[[Any], Floats], fault: EndpointError) -> Floats:
    """Scores of rows that are asked in two halves, since all together have a fault."""
    if len(X) == 1:
        raise Unusable(f"{fault} Not even one row fits.") from fault
    middle = len(X) // 2
    return _joined([ask(X[:middle]), ask(X[middle:])])


def _told(fault: EndpointError, attempts: int, seconds: float) -> EndpointError:
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
