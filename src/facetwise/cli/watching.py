"""The line that tells how far a run is: rows, certificates, questions, time."""

from __future__ import annotations

import time
from collections.abc import Callable

from facetwise.asking import Plan
from facetwise.cli.planning import duration

WIDTH = 79
"""A shorter line has to cover what stood there before."""


def line(
    plan: Plan, clock: Callable[[], float] = time.monotonic
) -> Callable[[int, int, int, int], str]:
    """What the line says of a run with this plan, which begins now."""
    began = clock()

    def text(done: int, rows: int, asked: int, certified: int) -> str:
        parts = [f"{done:,} of {rows:,} rows", f"{certified:,} certified"]
        parts.append(f"{asked:,} questions")
        if plan.max_queries is not None:
            parts[-1] += f", at most {max(plan.max_queries - asked, 0):,} left"
        if 0 < done < rows:
            rest = (clock() - began) / done * (rows - done)
            parts.append(f"about {duration(rest)} to go")
        return "; ".join(parts).ljust(WIDTH)

    return text
