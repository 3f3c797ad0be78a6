"""Step 4: what is certified, what is not, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.box import Surroundings
from facetwise.core.check import Checked
from facetwise.core.inquiry import USEFUL, Inquiry
from facetwise.core.lattice import OnLattice
from facetwise.core.messages import Floats
from facetwise.core.pairs import Look
from facetwise.core.recovered import AGAINST_ALL, Local, Recovered, mean_of, nothing
from facetwise.core.status import Status

RANDOM = 1e3
"""Grid steps of scatter that no arithmetic explains: the answers are random."""


MENDED_FIRST = (
    Status.UNSTABLE,
    Status.ON_BOUNDARY,
    Status.TOO_COARSE,
    Status.SATURATED,
)
"""Reasons why pairs carry nothing; a row names the first, which is easiest to mend."""


def too_coarse(inquiry: Inquiry, failed: bool) -> Status:
    """Why no useful bound is reached, where boxes not much larger failed or did not."""
    if inquiry.scatter > RANDOM:
        return Status.UNSTABLE
    no_finer = failed and inquiry.grid.finest
    return Status.ON_BOUNDARY if no_finer else Status.TOO_COARSE


def ended(status: Status, inquiry: Inquiry) -> Recovered:
    """A recovery that found no weights."""
    return Recovered.of(inquiry, nothing(len(inquiry.x), status))


def constant(inquiry: Inquiry, look: Look) -> Recovered:
    """A recovery around which nothing moves: weights of zero, without a bound.

    No finite number of equal answers bounds what a service hides that clips.
    """
    if inquiry.scatter > RANDOM:
        return ended(Status.UNSTABLE, inquiry)
    status = Status.PIECEWISE_CONSTANT
    local = nothing(len(inquiry.x), status, fill=0.0)
    local.D[~inquiry.moving] = np.nan
    return Recovered.of(inquiry, local, radius=look.radius)


@dataclass(frozen=True, slots=True)
class Findings:
    """What else was found out before an instance is concluded.

    `reach` is the radius at which pairs agreed, `bends` says whether the model does,
    `unread` (K,) bounds weights that rounded inputs hide, `lattice` has those of
    features on one, and `coarse` says why no better bound could be reached.
    """

    reach: float
    bends: bool
    unread: Floats
    lattice: OnLattice
    coarse: Status


def conclude(
    inquiry: Inquiry,
    around: Surroundings,
    checked: Checked,
    findings: Findings,
) -> Recovered:
    """Turn checked weights into the record that is returned."""
    clippable = inquiry.read.kind.clippable
    still = Status.SATURATED if clippable else Status.TOO_COARSE
    size = np.linalg.norm(checked.V[:, checked.judged], axis=0).max(initial=0.0)
    resolved = checked.bound <= USEFUL * size
    bound = np.maximum(checked.bound, findings.unread)
    if findings.bends:
        # The gradient of what bends less than the floor over the box.
        bound = bound + np.linalg.norm(checked.floor, axis=0)
    useful = bound <= USEFUL * size
    rivals = inquiry.read.rivals or (inquiry.read.target,)
    pairs = {}
    for k, rival in enumerate(rivals):
        if not checked.judged[k]:
            pairs[rival] = nothing(len(inquiry.x), still)
        elif not useful[k]:
            why = Status.TOO_COARSE if resolved[k] else findings.coarse
            pairs[rival] = nothing(len(inquiry.x), why)
        else:
            status = Status.SMOOTH if findings.bends else Status.CERTIFIED
            local = _local(inquiry, around, checked, k, bound[k], status)
            # What bends has no region that could reach as far as a next value.
            bends = findings.bends
            pairs[rival] = local if bends else _with_lattice(local, findings.lattice, k)
    local, contrast = _strongest(inquiry, around, checked, pairs)
    return Recovered.of(
        inquiry,
        local,
        contrast=contrast,
        pairs=pairs,
        radius=checked.radius,
        reach=findings.reach,
        floor=float(checked.floor[:, checked.judged].max(initial=0.0)),
    )


def _local(
    inquiry: Inquiry,
    around: Surroundings,
    checked: Checked,
    k: int,
    bound: float,
    status: Status,
) -> Local:
    """Column k in raw units, with the bound ‖h∘e‖ turned into every other one."""
    half, centre = checked.box.half, checked.fit.box.centre
    D, weight_bound = np.full((2, len(inquiry.x)), np.nan)
    weights = checked.V[:, k] / half
    D[inquiry.moving] = weights
    weight_bound[inquiry.moving] = bound / half
    base = checked.fit.centre.l[0, k] - weights @ centre
    # |e·c| <= ‖h∘e‖ ‖c/h‖, and the answer at the centre is only that exact.
    base_bound = checked.floor[:, k].max() + bound * np.linalg.norm(centre / half)
    scaled = bound * float((around.scale / half).max())
    return Local(D, float(base), scaled, weight_bound, float(base_bound), status)


def _with_lattice(local: Local, lattice: OnLattice, k: int) -> Local:
    """The same with the weights of features on a lattice, where they are known."""
    known = np.isfinite(lattice.D[:, k])
    features, x = lattice.features[known], lattice.x[known]
    D, off = lattice.D[known, k], lattice.bound[known, k]
    local.D[features], local.weight_bound[features] = D, off
    return replace(
        local,
        base=local.base - float(D @ x),
        bound=local.bound + float(np.linalg.norm(lattice.scale[known] * off)),
        base_bound=local.base_bound + float(off @ np.abs(x)),
    )


def _strongest(
    inquiry: Inquiry,
    around: Surroundings,
    checked: Checked,
    pairs: dict[int, Local],
) -> tuple[Local, int]:
    """The most that the pairs allow to be said of the target, and of which contrast."""
    bounded = {r: p for r, p in pairs.items() if np.isfinite(p.bound)}
    if not bounded:
        statuses = {p.status for p in pairs.values()}
        first = next(status for status in MENDED_FIRST if status in statuses)
        return nothing(len(inquiry.x), first), AGAINST_ALL
    if len(pairs) == 1:
        return next(iter(pairs.values())), inquiry.read.contrast
    mean = mean_of(list(pairs.values()), inquiry.x)
    size = np.linalg.norm(around.scale * mean.D[inquiry.moving])
    if len(bounded) == len(pairs) and mean.bound <= USEFUL * size:
        return mean, AGAINST_ALL
    # The rival that scores highest has the smallest log-odds against it.
    log_odds = dict(zip(inquiry.read.rivals, checked.origin.l[0], strict=True))
    rival = min(bounded, key=lambda r: log_odds[r])
    status = bounded[rival].status
    if status is Status.CERTIFIED:
        status = Status.PARTLY_CERTIFIED
    return replace(bounded[rival], status=status), rival
