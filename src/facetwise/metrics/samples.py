"""Do the probes lie in the region of their instance? RD and WD."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.errors import InputError


def region_difference(own: object, regions: Sequence[object]) -> int:
    """RD: 0 if all probes are in the instance's own region, and else 1."""
    if not len(regions):
        raise InputError("RD is of a set of probes; there is none.")
    return int(any(region != own for region in regions))


def weight_difference(
    own: Floats, weights: Floats, target: int, counts: Ints | None = None
) -> float:
    """WD: how far the probes' core parameters are from the instance's own.

    The L1 distance between D_{c,c'} of the instance and that of a probe, the mean over
    probes and the C - 1 rivals c'. `own` (C, d) and `weights` (m, C, d) are the slopes
    of the logits at the instance and at m probes. Probes of one region may be given
    once, with their `counts` (m,).
    """
    if weights.ndim != 3 or weights.shape[1:] != own.shape or not len(weights):
        raise InputError(
            f"WD compares slopes (C, d) with those of probes (m, C, d); got "
            f"{own.shape} and {weights.shape}."
        )
    C = len(own)
    moved = weights - own
    # D_{c,c'} = W_c - W_c', so that their difference is one of differences.
    off = np.abs(moved[:, [target]] - moved).sum(axis=(1, 2)) / (C - 1)
    return float(np.average(off, weights=counts))
