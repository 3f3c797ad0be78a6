"""What does not move: is it constant, or does the service round it?

A service that rounds its inputs sees some features move in a small box, and others not
at all: these seem to have no weight. So the features that seem to have none are moved
alone, as far as a service may plausibly round them, and what that shows of their
weights is added to the bound.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from facetwise.core.certificate import error_bound
from facetwise.core.check import Checked
from facetwise.core.domain import Surroundings
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import FARTHEST, FIRST

WIDE = 2.0**-6
"""Steps, relative to a feature's value or scale, that show a service which keeps three
decimal digits of it, and any that keeps more."""

LOOKS = 3
"""Pairs that show whether a logit that stands still does so farther out."""


def weights_unread(
    inquiry: Inquiry, around: Surroundings, checked: Checked, rng: np.random.Generator
) -> Generator[Probes, Answers, Floats]:
    """Bound (K,) on ‖h∘e‖ of the weights that seem to be zero, if inputs are rounded.

    A column that is a whole number in all instances, or has so many decimals, may be
    rounded to as many.
    """
    half, limits = checked.box.half, (around.lower, around.upper)
    none = np.zeros(len(checked.judged))
    judged = checked.judged
    if not judged.any():
        return none
    still = np.all(np.abs(checked.V[:, judged]) <= checked.bound[judged], axis=1)
    step = WIDE * np.maximum(np.abs(around.x), around.scale)
    step = np.maximum(step, around.grain)
    suspects = still & (step > half)
    if not suspects.any():
        return none
    x = checked.box.centre
    low, high = np.clip([x - step, x + step], *limits)
    # Half of them may round to the value itself, as whole numbers moved by 1 do.
    m = max(len(checked.residuals), math.ceil(-math.log2(checked.alpha)))
    points = rng.uniform(low, high, size=(m, len(x)))
    points[:, ~suspects] = x[~suspects]
    answers = yield from inquiry.ask(points, Purpose.CHECK)
    residuals = checked.fit.residuals(points, answers)
    bound = error_bound(residuals, answers.noise, checked.alpha)
    unread: Floats = bound * (2.0 * half[suspects] / (high - low)[suspects]).max()
    return np.where(np.isnan(unread), np.inf, unread)


def constant_scores_are_real(
    inquiry: Inquiry, pairs: Pairs, checked: Checked
) -> Generator[Probes, Answers, Checked]:
    """The same check, without columns frozen that are constant for good.

    A logit that never moves is taken for constant only if it does not move much
    farther out either: it may have been rounded. A probability never is.
    """
    if not checked.frozen.any() or inquiry.read.kind.clippable:
        return checked
    far = max(FARTHEST * checked.radius, FIRST / len(checked.box.half) ** 0.5)
    if pairs.around.resolves(far):
        for _ in range(LOOKS):
            yield from pairs.anywhere(far)
    return replace(checked, frozen=inquiry.moved(checked.frozen))
