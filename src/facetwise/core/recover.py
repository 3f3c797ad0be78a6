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

from facetwise.core.box import Surroundings
from facetwise.core.check import Checked, check
from facetwise.core.conclude import Findings, conclude, constant, ended, too_coarse
from facetwise.core.curvature import bends
from facetwise.core.designs import SignedCosine
from facetwise.core.fit import solve
from facetwise.core.frozen import constant_scores_are_real, weights_unread
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.lattice import along_lattice
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import Search
from facetwise.core.recovered import Recovered
from facetwise.core.status import Status
from facetwise.core.task import Task

MOST_DESIGNS = 6
"""Designs that are paid for before an instance is given up."""


def recover(task: Task, scores: Floats) -> Generator[Probes, Answers, Recovered]:
    """Recover the local model of the task's instance, which was answered `scores`."""
    probe_seed, check_seed = task.seed.spawn(2)
    rng, check_rng = map(np.random.default_rng, (probe_seed, check_seed))
    inquiry = Inquiry(task.read, task.x, task.domain.moving)
    around = task.domain.around(task.x)
    origin = inquiry.hear(scores[None])
    if inquiry.refused_last:
        return ended(Status.REFUSED, inquiry)
    if not np.isfinite(origin.l).any():
        return ended(Status.SATURATED, inquiry)

    # Shares of alpha for all rounds there may be: 1/2 + 1/6 + 1/12 + … is 1.
    stakes = (
        task.alpha / task.read.columns / (k * (k + 1)) for k in itertools.count(1)
    )
    design = SignedCosine(len(around.x), rng)
    search = Search(Pairs(inquiry, around, origin, design, rng), task.precision)
    start = task.start
    while inquiry.designs < MOST_DESIGNS:
        # 1. radius
        look = yield from search.find(start)
        if look is None:
            break
        if look.flat:
            if search.is_constant(look):
                return constant(inquiry, look)
            return ended(too_coarse(inquiry, failed=False), inquiry)
        if search.is_hopeless(look.radius):
            break
        # 2. design
        pace = search.pace(look.radius)
        r = look.radius / pace.safety
        fit = yield from solve(inquiry, search.pairs.place(r))
        # 3. check
        checked = yield from check(
            inquiry, around, origin, fit, r, pace, stakes, check_rng, rng
        )
        if isinstance(checked, Checked):
            # 4. conclude
            unread = yield from weights_unread(
                inquiry, around, checked, next(stakes), rng
            )
            checked = yield from constant_scores_are_real(
                inquiry, search.pairs, checked
            )
            lattice = yield from along_lattice(
                inquiry, task.domain, checked, next(stakes), check_rng
            )
            bent = yield from bends(search, [look.radius, checked.radius])
            coarse = too_coarse(inquiry, failed=search.failure is not None)
            findings = Findings(look.radius, bent, unread, lattice, coarse)
            return conclude(inquiry, around, checked, findings)
        search.fail(checked)
        start = r / pace.shrink
    reason = yield from why_none_agrees(inquiry, around, origin)
    return ended(reason, inquiry)


def why_none_agrees(
    inquiry: Inquiry, around: Surroundings, origin: Reading
) -> Generator[Probes, Answers, Status]:
    """Ask the instance itself twice more: is it the model that moves, or the slope?"""
    if inquiry.refused_last:
        return Status.REFUSED
    # In calls of their own: some services answer the same in one batch.
    first = yield from inquiry.ask(around.x[None], Purpose.ORIGIN)
    second = yield from inquiry.ask(around.x[None], Purpose.ORIGIN)
    if first.refused or second.refused:
        return Status.REFUSED
    tolerance = first.slack + second.slack
    if np.any(np.abs(first.l - second.l) > tolerance):
        return Status.UNSTABLE
    if np.any(np.abs(first.l - origin.l) > tolerance):
        return Status.CHANGED
    return too_coarse(inquiry, failed=True)
