"""What a run will take, told before anything is sent."""

from __future__ import annotations

import math

from facetwise.core.noise import REPEATED
from facetwise.endpoints.drift import KNOWN, SPARING

USUAL_REST = 26
"""Questions beyond d that a row usually takes."""

ROUNDS = 14
"""Calls that a wave of rows takes however few they are, since answers decide what is
asked next."""

PACKING = 1.5
"""Calls, in full ones, that rows take: the last call of a round is seldom full."""


def estimate(rows: int, d: int, batch: int, waves: int) -> tuple[int, int]:
    """Rows and calls that explaining `rows` instances of d moving features takes.

    They go in so many waves, each of which waits for the one before it. The questions
    of the drift guard are counted, repeated attempts are not.
    """
    asked = rows * (d + USUAL_REST)
    checks = REPEATED + 1 + asked // (SPARING * KNOWN)
    asked += checks * min(KNOWN, rows)
    return asked, ROUNDS * waves + checks + math.ceil(PACKING * asked / batch)
