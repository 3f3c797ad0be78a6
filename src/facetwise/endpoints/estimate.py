"""What a run will take, told before anything is sent."""

from __future__ import annotations

import math
from dataclasses import dataclass

from facetwise.core.noise import REPEATED
from facetwise.endpoints.drift import KNOWN, SPARING


@dataclass(frozen=True, slots=True)
class Cost:
    """What rows take: `rest` questions beyond d each, and `rounds` of calls a wave.

    Answers decide what is asked next, so a wave takes its calls however few its rows.
    """

    rest: int
    rounds: int


USUAL = Cost(rest=26, rounds=14)
"""Where answers have 32 or 64 bits, as a rule."""

COARSE = Cost(rest=160, rounds=50)
"""Where they are rounded to a few decimals, as a rule: noise is measured, and wider
boxes are tried. Single rows take up to twice as many."""

GENEROUS = 2
"""What a service may take where nothing else is said, in usual costs."""

PACKING = 1.5
"""Calls, in full ones, that rows take: the last call of a round is seldom full."""


def estimate(
    rows: int, d: int, batch: int, waves: int, cost: Cost = USUAL
) -> tuple[int, int]:
    """Rows and calls that explaining `rows` instances of d moving features takes.

    They go in so many waves, each of which waits for the one before it. The questions
    of the drift guard are counted, repeated attempts are not.
    """
    asked = rows * (d + cost.rest)
    checks = REPEATED + 1 + asked // (SPARING * KNOWN)
    asked += checks * min(KNOWN, rows)
    return asked, cost.rounds * waves + checks + math.ceil(PACKING * asked / batch)


def allowance(rows: int, d: int, batch: int, waves: int) -> tuple[int, int]:
    """Rows and calls that a run may take where the user named no limit.

    Twice the estimate; or what it takes where the service rounds, if that is more, and
    as much again for one row.
    """
    asked, calls = estimate(rows, d, batch, waves)
    coarse_asked, coarse_calls = estimate(rows, d, batch, waves, COARSE)
    return (
        max(GENEROUS * asked, coarse_asked + d + COARSE.rest),
        max(GENEROUS * calls, coarse_calls),
    )
