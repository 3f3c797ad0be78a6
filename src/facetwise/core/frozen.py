"""What does not move: is it constant, or does the service round it?

A service that rounds its inputs to so many digits sees some features move in a small
box, those at 0, and others not at all: these seem to have no weight. A feature other
than 0 that visibly moves the answers, to the floor and without jumps, shows how finely
inputs are read. Where there is none, those that seem to have no weight are moved
farther, as far as three digits.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from facetwise.core.check import Checked
from facetwise.core.domain import Surroundings
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Mask, Probes, Purpose
from facetwise.core.radius import FARTHEST, Search

STEPS = np.repeat([2.0**-21, 2.0**-14, 2.0**-7], 4)
"""Steps, relative to a feature's value, that show casts to 32 bits, to 16, and to
three decimal digits; each is tried four times, as steps may cancel."""

CHANCE = 5.0
"""Standard deviations that random signs may add up to."""


def every_feature_is_read(
    inquiry: Inquiry, around: Surroundings, checked: Checked, rng: np.random.Generator
) -> Generator[Probes, Answers, bool]:
    """Whether the features that seem to have no weight have none."""
    x, half = checked.box.centre, checked.box.half
    still = _still(checked)
    suspects = still & (np.abs(x) > half)
    suspects &= half / np.maximum(np.abs(x), half) < _finest_step_read(checked, still)
    if not suspects.any():
        return True
    size = rng.uniform(0.5, 1.0, size=(len(STEPS), len(x)))
    size *= rng.choice([-1.0, 1.0], size=size.shape)
    steps = STEPS[:, None] * size * np.abs(x) * suspects
    points = np.clip(x + steps, around.lower, around.upper)
    answers = yield from inquiry.ask(points, Purpose.CHECK)
    change = np.abs(answers.l - checked.fit.centre.l)
    wide = np.abs((points - x) / half).max(axis=1)
    # A weight that is zero to within its bound may show over a wide step.
    allowed = inquiry.tolerance(answers.noise + checked.fit.centre.noise)
    allowed = allowed + CHANCE * checked.bound * wide[:, None]
    return bool(np.all((change <= allowed)[:, checked.judged]))


def constant_scores_are_real(
    inquiry: Inquiry, search: Search, checked: Checked
) -> Generator[Probes, Answers, Checked]:
    """The same check, without columns frozen that are constant for good.

    A logit that never moves is taken for constant only if it does not move much
    farther out either: it may have been rounded. A probability never is.
    """
    if not checked.frozen.any() or inquiry.read.kind.clippable:
        return checked
    far = FARTHEST * checked.radius
    if search.farthest < far and search.around.resolves(far):
        yield from search.look(far)
    return replace(checked, frozen=inquiry.moved(checked.frozen))


def _still(checked: Checked) -> Mask:
    """Features (d,) whose weights are zero to within their bound, in all columns."""
    judged = checked.judged
    still: Mask = np.all(np.abs(checked.V[:, judged]) <= checked.bound[judged], axis=1)
    return still


def _finest_step_read(checked: Checked, still: Mask) -> float:
    """The coarsest rounding, relative to a value, that moving features leave room for.

    A feature of value x that moves the answers by V over a half-width h, straight to
    the floor, is not rounded by more than floor/V half-widths.
    """
    x, half = np.abs(checked.box.centre), checked.box.half
    telling = ~still & (x > half)
    if not telling.any():
        return np.inf
    judged = checked.judged
    floor = checked.floor[:, judged].max(axis=0)
    rounding = np.min(floor / np.abs(checked.V[telling][:, judged]), axis=1)
    return float(np.min(rounding * half[telling] / x[telling]))
