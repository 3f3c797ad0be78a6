"""What does not move: is it constant, or does the service round it?

A service that rounds its inputs to so many digits sees some features move in a small
box, those at 0, and others not at all: these seem to have no weight. A feature other
than 0 that visibly moves the answers, to the floor and without jumps, shows how finely
inputs are read. Where there is none, those that seem to have no weight are moved
farther.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from facetwise.core.certificate import CHECK_POINTS, error_bound
from facetwise.core.check import Checked
from facetwise.core.domain import Surroundings
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Mask, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import FARTHEST

WIDE = 2.0**-7
"""Steps, relative to a feature's value, that are wide enough to show a service that
keeps three decimal digits of it, and any that keeps more."""


def every_feature_is_read(
    inquiry: Inquiry, around: Surroundings, checked: Checked, rng: np.random.Generator
) -> Generator[Probes, Answers, bool]:
    """Whether the features that seem to have no weight have none.

    They alone are moved widely. That their weights are within the bound has to be as
    certain from these points as from the check points.
    """
    x, half = checked.box.centre, checked.box.half
    still = _still(checked)
    suspects = still & (np.abs(x) > half)
    suspects &= half / np.maximum(np.abs(x), half) < _finest_step_read(checked, still)
    if not suspects.any():
        return True
    step = WIDE * np.abs(x) * suspects
    low, high = np.maximum(x - step, around.lower), np.minimum(x + step, around.upper)
    points = rng.uniform(low, high, size=(CHECK_POINTS, len(x)))
    points[:, ~suspects] = x[~suspects]
    answers = yield from inquiry.ask(points, Purpose.CHECK)
    residuals = checked.fit.residuals(points, answers)
    bound = error_bound(residuals, answers.noise, checked.alpha)
    bound = bound * (2.0 * half[suspects] / (high - low)[suspects]).max()
    return bool(np.all((bound <= checked.bound)[checked.judged]))


def constant_scores_are_real(
    inquiry: Inquiry, pairs: Pairs, checked: Checked
) -> Generator[Probes, Answers, Checked]:
    """The same check, without columns frozen that are constant for good.

    A logit that never moves is taken for constant only if it does not move much
    farther out either: it may have been rounded. A probability never is.
    """
    if not checked.frozen.any() or inquiry.read.kind.clippable:
        return checked
    far = FARTHEST * checked.radius
    if pairs.farthest < far and pairs.around.resolves(far):
        yield from pairs.along(far)
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
    with np.errstate(divide="ignore"):  # no weight in one column, but in another
        rounding = np.min(floor / np.abs(checked.V[telling][:, judged]), axis=1)
    return float(np.min(rounding * half[telling] / x[telling]))
