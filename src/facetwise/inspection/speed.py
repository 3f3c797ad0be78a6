"""How long answers take, and how many rows go into a call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.retry import Retry
from facetwise.endpoints.service import Service
from facetwise.inspection.trial import Timed, Trial

SIZES = {1: 3, 100: 2, 1000: 2}
"""Rows a call, and how often so many are asked."""

PATIENCE = 30.0
"""Seconds that a call may be expected to take; larger ones are left out."""


@dataclass(frozen=True, slots=True)
class Pace:
    """So many rows asked together took so many seconds and calls, at best."""

    rows: int
    seconds: float
    calls: int

    @property
    def rows_a_second(self) -> float:
        """Rows answered a second."""
        return self.rows / max(self.seconds, 1e-9)


@dataclass(frozen=True, slots=True)
class Speed:
    """Times for several sizes; limits of a call in rows and bytes, if there are any."""

    paces: tuple[Pace, ...]
    most_rows: int | None
    most_bytes: int | None

    @property
    def latency(self) -> float:
        """Seconds until one row is answered."""
        return self.paces[0].seconds

    @property
    def rows_a_second(self) -> float:
        """The most that any size reached, one call after the other."""
        return max(pace.rows_a_second for pace in self.paces)

    @property
    def sentences(self) -> list[str]:
        """What there is to say."""
        rates = ", ".join(
            f"{pace.rows_a_second:,.0f} at {pace.rows:,}" for pace in self.paces
        )
        told = [
            f"One row takes {1e3 * self.latency:.3g} ms. Rows a second, by rows a "
            f"call: {rates}."
        ]
        largest = self.paces[-1]
        if self.most_rows is not None:
            told.append(f"A call takes {self.most_rows:,} rows at most.")
        if self.most_bytes is not None:
            told.append(f"A call takes about {self.most_bytes:,} bytes at most.")
        if self.most_rows is None and self.most_bytes is None:
            told.append(f"No limit on a call was met up to {largest.rows:,} rows.")
        return told


def measure_speed(trial: Trial, X: Floats) -> Speed:
    """Ask the rows of X (n, d), one after the other and many together."""
    paces: list[Pace] = []
    for rows, times in SIZES.items():
        asked = X[np.arange(rows) % len(X)]
        if paces and rows / paces[-1].rows_a_second > PATIENCE:
            break
        best = min((trial.timed(asked) for _ in range(times)), key=_seconds)
        paces.append(Pace(rows, best.seconds, best.calls))
    return Speed(tuple(paces), *limits(trial.model))


def limits(model: Endpoint) -> tuple[int | None, int | None]:
    """Rows and bytes that a call may have, as far as a service has shown."""
    service = model.inner if isinstance(model, Retry) else None
    if not isinstance(service, Service):
        return None, None
    return service.most_rows, service.largest


def _seconds(timed: Timed) -> float:
    return timed.seconds
