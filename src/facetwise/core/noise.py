"""Measures how far answers scatter where they ought to agree, in grid steps."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from facetwise.core.domain import DOUBLE_BITS, Surroundings, spacing
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Floats, Probes, Purpose

DOUBTFUL = 1e2
"""Tolerances that answers may miss while noise may be the reason: it is measured."""

MOST_MEASURED = 3
"""Times that noise is measured for one instance."""

CLOSEST, CLOSE = 2.0**3, 2.0**8
"""Distances, in the last digits of the features, at which noise is measured. Next to
the instance, nothing else can move the answers, but arithmetic repeats itself; a little
farther out it no longer does."""

REPEATS = 64.0
"""How much smaller noise may seem where arithmetic repeats itself."""


def measure_scatter(
    inquiry: Inquiry, around: Surroundings, rng: np.random.Generator
) -> Generator[Probes, Answers, None]:
    """Ask pairs of pairs at two distances, and note what they differ by.

    In the difference of two pairs the instance's own answer cancels, so that a piece
    so thin that it holds only the instance is not taken for noise.
    """
    inquiry.measured += 1
    ulp = spacing(around.x, around.scale, DOUBLE_BITS)
    size = np.repeat([CLOSEST, CLOSE], 2)[:, None]
    steps = ulp * np.rint(size * rng.uniform(0.1, 1.0, size=(4, len(ulp))))
    steps *= rng.choice([-1.0, 1.0], size=steps.shape)
    points = around.x + np.concatenate([steps, -steps])
    points = np.clip(points, around.lower, around.upper)
    answers = yield from inquiry.ask(points, Purpose.NOISE)
    pairs = answers.l[:4] + answers.l[4:]
    noise = answers.noise[:4] + answers.noise[4:]
    closest = _steps_apart(pairs[:2], noise[:2])
    close = _steps_apart(pairs[2:], noise[2:])
    # Farther out a boundary may have come between; noise cannot be so much larger.
    scatter = min(max(closest, close), REPEATS * max(closest, 1.0))
    inquiry.scatter = max(inquiry.scatter, scatter)


def may_be_noise(inquiry: Inquiry, excess: float) -> bool:
    """Whether answers that miss by so many tolerances are worth a measurement."""
    return excess < DOUBTFUL and inquiry.measured < MOST_MEASURED


def _steps_apart(pairs: Floats, noise: Floats) -> float:
    """How many steps of noise two pairs differ by, in the worst column."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(pairs[0] - pairs[1]) / noise.sum(axis=0)
    return float(apart[np.isfinite(apart)].max(initial=0.0))
