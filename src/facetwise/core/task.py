"""What a recovery is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.domain import ResolvedDomain
from facetwise.core.memory import Memory
from facetwise.core.messages import Floats
from facetwise.core.response import LogOdds

PRECISION = 0.03
"""The bound to strive for where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Task:
    """One instance (d,), how to read answers about it, where to ask, how sure to be.

    `alpha` is the chance that a bound may fail; all randomness comes from `seed`.
    Where answers are coarse, `precision` is the bound to strive for, as a share of the
    weights' norm. The search for a radius begins at `start`, if something is known.
    What other instances taught is in `memory`, if there is one.
    """

    x: Floats
    read: LogOdds
    domain: ResolvedDomain
    alpha: float
    seed: np.random.SeedSequence
    precision: float = PRECISION
    start: float | None = None
    memory: Memory | None = None
