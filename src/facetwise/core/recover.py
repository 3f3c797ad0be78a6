"""Exact recovery of the local model of one instance: the steps, in their order.

    1. radius    pairs find a box in which answers follow one line
    2. design    d probes in it give the weights
    3. check     points drawn only now say how wrong the weights can be
    4. conclude  what is certified, what is not, and why

A recovery asks no one: it yields `Probes`, is sent `Answers`, and returns `Recovered`.

Notation
--------
K    log-odds: the target against each rival, or each by itself
V    weights per half-width of the design's box, h∘D     (d, K)
"""

from __future__ import annotations

import itertools
from collections.abc import Generator

import numpy as np

from facetwise.core.check import Checked, check, every_feature_is_read
from facetwise.core.conclude import conclude, constant, ended
from facetwise.core.domain import Surroundings
from facetwise.core.fit import solve
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.radius import FIRST, find_radius, stays_constant
from facetwise.core.recovered import Recovered
from facetwise.core.status import Status
from facetwise.core.task import Task

SAFETY = 8.0
"""How far inside the radius of an agreeing pair the design stays: hundreds of probes
reach further towards some boundary than one pair does."""

SHRINK = 4.0
"""The step down after check points that disagree."""

MOST_DESIGNS = 6
"""Designs that are paid for before an instance is given up."""


def recover(
    task: Task, scores: Floats
) -> Generator[Probes, Answers, Recovered]:
    """Recover the local model of the task's instance, which was answered `scores`."""
    probe_seed, check_seed = task.seed.spawn(2)
    rng, check_rng = map(np.random.default_rng, (probe_seed, check_seed))
    inquiry = Inquiry(task.read, task.x, task.domain.moving)
    around = task.domain.around(task.x)
    origin = inquiry.hear(scores[None])
    if origin.refused:
        return ended(Status.REFUSED, inquiry)
    if not np.isfinite(origin.l).any():
        return ended(Status.SATURATED, inquiry)

    stakes = (task.alpha / task.read.columns * 2.0**-k for k in itertools.count(1))
    start, failure = FIRST, None
    while inquiry.designs < MOST_DESIGNS:
        # 1. radius
        look, failure = yield from find_radius(
            inquiry, around, origin, start, failure, rng
        )
        if look is not None and look.flat:
            look = yield from stays_constant(inquiry, around, origin, look, rng)
            if look.flat:
                return constant(inquiry, around, look)
            if not look.agrees:
                return ended(Status.TOO_COARSE, inquiry)
        if look is None or not around.resolves(look.radius / SAFETY):
            break
        # 2. design
        r = look.radius / SAFETY
        fit = yield from solve(inquiry, around.box(r), rng)
        # 3. check
        checked = yield from check(inquiry, around, origin, fit, r, stakes, check_rng)
        if isinstance(checked, Checked):
            # 4. conclude
            read = yield from every_feature_is_read(inquiry, around, checked, rng)
            bends = failure is not None and not failure.tells(look.radius)
            return conclude(inquiry, around, checked, bends, read)
        failure, start = checked, r / SHRINK
    reason = yield from why_none_agrees(inquiry, around, origin)
    return ended(reason, inquiry)


def why_none_agrees(
    inquiry: Inquiry, around: Surroundings, origin: Reading
) -> Generator[Probes, Answers, Status]:
    """Ask the instance itself twice more: is it the model that moves, or the slope?"""
    if inquiry.refused_last:
        return Status.REFUSED
    again = yield from inquiry.ask(np.stack([around.x] * 2), Purpose.ORIGIN)
    if again.refused:
        return Status.REFUSED
    first, second = again.l
    finite = np.isfinite(again.l).all(axis=0) & np.isfinite(origin.l[0])
    tolerance = inquiry.tolerance(again.noise.sum(axis=0))
    if np.any(np.abs(first - second)[finite] > tolerance[finite]):
        return Status.UNSTABLE
    if np.any(np.abs(first - origin.l[0])[finite] > tolerance[finite]):
        return Status.CHANGED
    return Status.ON_BOUNDARY
