"""Puts the layers around an endpoint, in their order.

    drift guard ▸ journal ▸ concurrency ▸ rate and budget ▸ frames ▸ the endpoint

An endpoint that tries again what failed does so below all of these, and keeps to rate
and budget itself, before each attempt.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from facetwise.core.messages import Floats
from facetwise.endpoints.attempts import Attempting, Metered
from facetwise.endpoints.budget import Budget
from facetwise.endpoints.concurrency import Concurrency
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.framed import Framed
from facetwise.endpoints.halt import Halt
from facetwise.endpoints.journal.journal import Journal
from facetwise.endpoints.journal.session import Session
from facetwise.endpoints.rate import Rate


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be sent, and how fast; None is no limit."""

    rows: int | None = None
    calls: int | None = None
    rows_per_second: float | None = None
    calls_per_second: float | None = None
    concurrency: int = 1


def layered(
    model: Endpoint,
    sent: Callable[[Floats], Any],
    limits: Limits,
    budget: Budget,
    halt: Halt,
    session: Session | None,
    watched: bool,
) -> Endpoint:
    """The model, asked with `sent(points)`, within limits, and kept in a session.

    Where it is `watched`, a drift guard will be put around it.
    """
    rate = Rate(limits.rows_per_second, limits.calls_per_second, sleep=halt.sleep)

    def spend(rows: int) -> None:
        budget.check(rows)  # nobody waits for a call that will not be sent
        rate.wait(rows)
        budget.spend(rows)

    endpoint: Endpoint
    if isinstance(model, Attempting):
        own = copy.copy(model)  # the user's may serve other runs too
        own.spend, own.busy, own.sleep = spend, lambda: gate.busy(), halt.sleep
        endpoint = Framed(own, sent)
    else:
        endpoint = Metered(Framed(model, sent), spend)
    gate = Concurrency(endpoint, limits.concurrency, halt)
    if session is None:
        return gate
    return Journal(gate, session, budget.recall, session.finished or not watched)
