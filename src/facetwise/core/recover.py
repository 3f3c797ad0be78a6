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
from facetwise.core.designs import Design, SignedCosine
from facetwise.core.fit import Fit, recollect, solve
from facetwise.core.frozen import constant_scores_are_real, weights_unread
from facetwise.core.inquiry import Inquiry, Reading
from facetwise.core.lattice import along_lattice
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import FIRST, Failure, Pace, Search
from facetwise.core.recovered import Asked, Recovered
from facetwise.core.regions import Known
from facetwise.core.status import Status
from facetwise.core.task import Task

MOST_DESIGNS = 6
"""Designs that are paid for before an instance is given up."""

NARROW = 2.0**-3
"""What an even box may take of one that a domain's limits have cut. Less is left where
a feature can hardly move; a subspace can only be probed as closely as that."""


def recover(task: Task, scores: Floats) -> Generator[Probes, Answers, Recovered]:
    """Recover the local model of the task's instance, which was answered `scores`."""
    inquiry = Inquiry(task.read, task.x, task.domain.moving)
    origin = inquiry.hear(scores[None])
    if inquiry.refused_last:
        return ended(Status.REFUSED, inquiry)
    if not np.isfinite(origin.l).any():
        return ended(Status.SATURATED, inquiry)
    recovery, tried = Recovery.begun(task, inquiry, origin), 0
    for tried, known in enumerate(recovery.known(), 1):
        found = yield from recovery.from_region(known)
        if found is not None:
            return replace(found, recalled=known.place, tried=tried)
    found = yield from recovery.from_questions()
    return replace(found, tried=tried)


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
        pairs = Pairs(inquiry, around, origin, _design(task, around, rng), rng)
        search = Search(pairs, task.precision)
        return cls(task, inquiry, around, origin, search, stakes, rng, check_rng)

    def known(self) -> list[Known]:
        """Regions that may be the instance's, as far as it is known from others."""
        if self.task.memory is None:
            return []
        l, slack = self.origin.l[0], self.origin.slack[0]  # noqa: E741
        return self.task.memory.recall(self.task.x, l, slack, self.task.read)

    def from_region(self, known: Known) -> Generator[Probes, Answers, Recovered | None]:
        """The local model as another instance taught it, if check points agree."""
        box = self.around.box(known.radius)
        fit = yield from recollect(self.inquiry, box, known.T)
        pace = self.search.pace_for(fit.V)
        checked = yield from self._check(fit, known.radius, pace)
        if not isinstance(checked, Checked):
            return None
        found = yield from self._conclude(checked, [checked.radius], np.nan)
        # What nothing can be said of in this box, a design may say more of in another.
        return found if _says_all(found, fit) else None

    def from_questions(self) -> Generator[Probes, Answers, Recovered]:
        """The local model from a search, a design and check points, or why not."""
        found = yield from self._searched()
        return found if found.asked is Asked.REST else replace(found, asked=self._along)

    @property
    def _along(self) -> Asked:
        """Along which directions pairs and designs ask to begin with."""
        design = self.search.pairs.design
        return Asked.INSIDE if design.size < design.d else Asked.ALL

    def _searched(self) -> Generator[Probes, Answers, Recovered]:
        """The same, with no word of the directions but where the rest was asked."""
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


def _says_all(found: Recovered, fit: Fit) -> bool:
    """Whether all that a fit has weights for is certified, and the row if that is all.

    The mean of pairs that are bounded may be too small for its bound.
    """
    pairs = zip(found.pairs.values(), fit.judged, strict=True)
    sure = all(pair.status is Status.CERTIFIED for pair, judged in pairs if judged)
    return sure and (found.status is Status.CERTIFIED or not fit.judged.all())


def _design(task: Task, around: Surroundings, rng: np.random.Generator) -> Design:
    """Directions to probe along: those in memory, if boxes here let one follow them."""
    d = len(around.x)
    box = around.box(task.start or FIRST / d**0.5)
    is_narrow = (box.even(around.scale).half < NARROW * box.half).any()
    inside = task.memory.design(rng) if task.memory and not is_narrow else None
    return inside or SignedCosine(d, rng)


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
