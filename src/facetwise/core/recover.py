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
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.box import Surroundings
from facetwise.core.check import Checked, check
from facetwise.core.conclude import Findings, conclude, constant, ended, too_coarse
from facetwise.core.curvature import bends
from facetwise.core.designs import SignedCosine
from facetwise.core.fit import Fit, recollect, solve
from facetwise.core.frozen import constant_scores_are_real, weights_unread
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.lattice import along_lattice
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import Failure, Pace, Search
from facetwise.core.recovered import Recovered
from facetwise.core.regions import Known
from facetwise.core.status import Status
from facetwise.core.task import Task

MOST_DESIGNS = 6
"""Designs that are paid for before an instance is given up."""


def recover(task: Task, scores: Floats) -> Generator[Probes, Answers, Recovered]:
    """Recover the local model of the task's instance, which was answered `scores`."""
    inquiry = Inquiry(task.read, task.x, task.domain.moving)
    origin = inquiry.hear(scores[None])
    if inquiry.refused_last:
        return ended(Status.REFUSED, inquiry)
    if not np.isfinite(origin.l).any():
        return ended(Status.SATURATED, inquiry)
    recovery = Recovery.begun(task, inquiry, origin)
    remembered = yield from recovery.from_memory()
    return remembered or (yield from recovery.from_questions())


@dataclass(slots=True)
class Recovery:
    """One instance, from the answer to itself on."""

    task: Task
    inquiry: Inquiry
    around: Surroundings
    origin: Reading
    search: Search
    stakes: Iterator[float]
    rng: np.random.Generator
    check_rng: np.random.Generator

    @classmethod
    def begun(cls, task: Task, inquiry: Inquiry, origin: Reading) -> Recovery:
        """Before any question but the instance itself."""
        rng, check_rng = map(np.random.default_rng, task.seed.spawn(2))
        around = task.domain.around(task.x)
        # Shares of alpha for all rounds there may be: 1/2 + 1/6 + 1/12 + … is 1.
        alpha = task.alpha / task.read.columns
        stakes = (alpha / (k * (k + 1)) for k in itertools.count(1))
        design = task.memory.design(rng) if task.memory else None
        pairs = Pairs(
            inquiry, around, origin, design or SignedCosine(len(around.x), rng), rng
        )
        search = Search(pairs, task.precision)
        return cls(task, inquiry, around, origin, search, stakes, rng, check_rng)

    def from_memory(self) -> Generator[Probes, Answers, Recovered | None]:
        """The local model as another instance taught it, if check points agree."""
        for known in self._known():
            box = self.around.box(known.radius)
            fit = yield from recollect(self.inquiry, box, known.T)
            pace = self.search.pace_for(fit.V)
            checked = yield from self._check(fit, known.radius, pace)
            if not isinstance(checked, Checked):
                continue
            found = yield from self._conclude(checked, [checked.radius], np.nan)
            statuses = {pair.status for pair in found.pairs.values()}
            if Status.TOO_COARSE not in statuses:  # else a design may say more
                return replace(found, recalled=known.place)
        return None

    def from_questions(self) -> Generator[Probes, Answers, Recovered]:
        """The local model from a search, a design and check points, or why not."""
        inquiry, search, start = self.inquiry, self.search, self.task.start
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
            checked = yield from self._check(fit, r, pace)
            if isinstance(checked, Checked):
                # 4. conclude
                held = [look.radius, checked.radius]
                found = yield from self._conclude(checked, held, look.radius)
                return replace(found, asked=checked.fit.asked)
            search.fail(checked)
            start = r / pace.shrink
        reason = yield from why_none_agrees(inquiry, self.around, self.origin)
        return ended(reason, inquiry)

    def _known(self) -> list[Known]:
        if self.task.memory is None:
            return []
        l, slack = self.origin.l[0], self.origin.slack[0]  # noqa: E741
        return self.task.memory.recall(self.task.x, l, slack, self.task.read)

    def _check(
        self, fit: Fit, r: float, pace: Pace
    ) -> Generator[Probes, Answers, Checked | Failure]:
        about = self.inquiry, self.around, self.origin
        return check(*about, fit, r, pace, self.stakes, self.check_rng, self.rng)

    def _conclude(
        self, checked: Checked, held: list[float], reach: float
    ) -> Generator[Probes, Answers, Recovered]:
        """What else has to be asked before the record can be made, and the record."""
        inquiry, around, stakes = self.inquiry, self.around, self.stakes
        unread = yield from weights_unread(
            inquiry, around, checked, next(stakes), self.rng
        )
        checked = yield from constant_scores_are_real(
            inquiry, self.search.pairs, checked
        )
        lattice = yield from along_lattice(
            inquiry, self.task.domain, checked, next(stakes), self.check_rng
        )
        bent = yield from bends(self.search, held)
        coarse = too_coarse(inquiry, failed=self.search.failure is not None)
        findings = Findings(reach, bent, unread, lattice, coarse)
        return conclude(inquiry, around, checked, findings)


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
