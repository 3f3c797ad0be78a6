"""The record that a recovery returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Floats
from facetwise.core.status import Status


class Asked(Enum):
    """Along which directions weights were asked, found or not."""

    NOTHING = "none: the weights were known, or nothing could be asked"
    ALL = "all"
    INSIDE = "those of a subspace"
    REST = "those of a subspace, and then the rest"


AGAINST_ALL = -1
"""`contrast` of values that compare with all other classes, or with none."""


@dataclass(frozen=True, slots=True)
class Local:
    """An affine function D·x + base, and how wrong it can be.

    `bound` is on ‖scale∘(D - truth)‖₂, `weight_bound` (d,) on each weight, both in
    the features that move; those that are frozen hold NaN, and so does what is not
    bounded at all.
    """

    D: Floats
    base: float
    bound: float
    weight_bound: Floats
    base_bound: float
    status: Status


@dataclass(frozen=True, slots=True)
class Recovered:
    """The local model of one instance.

    `target` is what is explained, `contrast` the one rival that it is compared with
    or `AGAINST_ALL`, `pairs` has an entry for each rival. `radius` is the half-width
    of the box that check points filled, `reach` that at which pairs agreed, both in
    scaled units. `floor` is the most that a check point, or the instance itself, may
    differ from D·x + base. `designs` counts the sets of probes paid for, which are the
    iterations of Algorithm 1.

    For memory alone: `recalled` is the place there of the region that it was found in,
    of `tried` ones, and `asked` says along which directions weights were asked.
    """

    status: Status
    target: int
    contrast: int
    local: Local
    pairs: dict[int, Local]
    radius: float
    reach: float
    floor: float
    queries: int
    designs: int
    recalled: int | None = None
    tried: int = 0
    asked: Asked = Asked.NOTHING

    @classmethod
    def of(
        cls,
        inquiry: Inquiry,
        local: Local,
        contrast: int = AGAINST_ALL,
        pairs: dict[int, Local] | None = None,
        radius: float = np.nan,
        reach: float = np.nan,
        floor: float = np.nan,
    ) -> Recovered:
        """The record of an inquiry that ended with `local`."""
        return cls(
            local.status,
            inquiry.read.target,
            contrast,
            local,
            pairs or {},
            radius,
            reach,
            floor,
            inquiry.queries,
            inquiry.designs,
        )


def nothing(d: int, status: Status, fill: float = np.nan) -> Local:
    """Weights that are all `fill`, without any bound."""
    unbounded = np.full(d, np.nan)
    return Local(np.full(d, fill), np.nan, np.nan, unbounded, np.nan, status)


def mean_of(pairs: list[Local], x: Floats) -> Local:
    """D_c of equation 1: the mean over rivals; so is its bound, by the triangle.

    A feature on a lattice may have a weight against some rivals alone. The mean then
    has none, and what the feature contributes at the instance x goes into the base.
    """
    D = np.mean([p.D for p in pairs], axis=0)
    lost = np.isnan(D)
    base = [p.base + float(np.nansum(p.D[lost] * x[lost])) for p in pairs]
    return Local(
        D,
        float(np.mean(base)),
        float(np.mean([p.bound for p in pairs])),
        np.mean([p.weight_bound for p in pairs], axis=0),
        float(np.mean([p.base_bound for p in pairs])),
        pairs[0].status,
    )
