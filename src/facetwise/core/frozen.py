"""What does not move: is it constant, or does the service round it?

A service that rounds its inputs sees some features move in a small box, and others not
at all: these seem to have no weight. So features that seem to have none are suspects,
unless others show that inputs are read finely. Check points are drawn once more in a
box in which suspects move as far as a service may plausibly round them.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import replace

import numpy as np

from facetwise.core.box import Surroundings
from facetwise.core.certificate import error_bound
from facetwise.core.check import Checked
from facetwise.core.designs import uniform_cloud
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Floats, Mask, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import FARTHEST, FIRST

WIDE = 2.0**-6
"""Steps, relative to a feature's value or scale, that show a service which keeps three
decimal digits of it, and any that keeps more."""

EVIDENCE = 4.0
"""Times that a feature's weight must show, to prove how finely it is read."""

LOOKS = 3
"""Pairs that show whether a logit that stands still does so farther out."""


def weights_unread(
    inquiry: Inquiry,
    around: Surroundings,
    checked: Checked,
    alpha: float,
    rng: np.random.Generator,
) -> Generator[Probes, Answers, Floats]:
    """Bound (K,) on ‖h∘e‖ with suspects moved farther, 0 where there are none."""
    none = np.zeros(len(checked.judged))
    if not checked.judged.any():
        return none
    box, step = checked.box, _plausible_rounding(around)
    suspects = (step > box.half) & _seem_weightless(checked) & ~_read(around, checked)
    if not suspects.any():
        return none
    # Half of them may round to the value itself, as whole numbers moved by 1 do.
    m = max(len(checked.residuals), math.ceil(-math.log2(alpha)))
    d = len(box.half)
    points = box.place(uniform_cloud(rng, m, np.ones(d)))
    low = np.maximum(box.centre - step, around.lower)
    high = np.minimum(box.centre + step, around.upper)
    points[:, suspects] = rng.uniform(low, high, size=(m, d))[:, suspects]
    answers = yield from inquiry.ask(points, Purpose.CHECK)
    residuals = checked.fit.residuals(points, answers)
    bound = error_bound(residuals, inquiry.hidden(answers.scores), alpha)
    # Near a limit a suspect may have less room than in the box.
    less_room = (2.0 * box.half / (high - low))[suspects].max()
    return np.where(np.isnan(bound), np.inf, bound * max(1.0, less_room))


def _plausible_rounding(around: Surroundings) -> Floats:
    """Steps (d,) that a service may round features to.

    A column that is a whole number in all instances, or has so many decimals, may be
    rounded to as many.
    """
    step = WIDE * np.maximum(np.abs(around.x), around.scale)
    return np.maximum(step, around.grain)


def _seem_weightless(checked: Checked) -> Mask:
    """Features (d,) whose weights are zero to within the bound, in all columns."""
    judged = checked.judged
    still: Mask = np.all(np.abs(checked.V[:, judged]) <= checked.bound[judged], axis=1)
    return still


def _read(around: Surroundings, checked: Checked) -> Mask:
    """Features (d,) that are read finely, as others show.

    One that was rounded to steps of u would have made residuals of up to half its
    weight times u. A service that keeps so many digits, or decimals, of all features
    reads those that are no larger as finely, and larger ones by a factor of ten for
    each of their digits more. Columns of whole numbers may be rounded by themselves.
    What rounded answers hide may have been missed as well, and nothing is shown of
    numbers between those that the box has points on.
    """
    half, quantum, judged = checked.box.half, checked.box.quantum, checked.judged
    if quantum is None:
        # Too small for 32 bits: a service that casts to them after it has shifted
        # features to their means reads one that is at its mean, and no other.
        return np.zeros(len(half), dtype=bool)
    missed = (np.abs(checked.residuals) + checked.noise)[:, judged].max(axis=0)
    shown = np.max(np.abs(checked.V[:, judged]) / missed, axis=1)
    with np.errstate(divide="ignore"):
        finest = np.maximum(EVIDENCE * half / shown, quantum)
    decades = np.floor(np.log10(np.maximum(np.abs(around.x), half)))
    largest, places = np.unique(decades, return_inverse=True)
    more_digits = np.maximum(0.0, largest[:, None] - decades)
    read_to = np.min(finest * 10.0**more_digits, axis=1)[places]
    finely: Mask = (read_to <= half / EVIDENCE) & (around.grain <= half)
    return finely


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
