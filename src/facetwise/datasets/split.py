"""Rows to train with and rows to test with."""

from __future__ import annotations

import numpy as np

from facetwise.core.messages import Ints
from facetwise.errors import InputError

TEST_SHARE = 0.2
"""The share of each class that is kept for the test."""


def split(y: Ints, seed: int) -> tuple[Ints, Ints]:
    """Rows to train and to test with, in their order, drawn class by class."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number from 0 on; got {seed!r}.")
    lot = np.random.default_rng(seed).random(len(y))
    test = np.zeros(len(y), dtype=bool)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        kept = round(TEST_SHARE * len(members))
        test[members[np.argsort(lot[members])[:kept]]] = True
    return np.flatnonzero(~test), np.flatnonzero(test)
