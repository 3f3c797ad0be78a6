"""Measures how far answers scatter where they ought to agree, in grid steps."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from facetwise.core.box import DOUBLE_BITS, SINGLE_BITS, Surroundings, spacing
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

REPEATED = 3
"""Times that the instance is asked to see whether its answer depends on the call."""


def measure_scatter(
    inquiry: Inquiry, around: Surroundings, rng: np.random.Generator
) -> Generator[Probes, Answers, None]:
    """Ask pairs of pairs at two distances, and note what they differ by.

    Where not one of many digits moved, the service reads its inputs in 32 bits, and
    the distances are those of 32-bit numbers.
    """
    inquiry.measured += 1
    scatter = yield from _scatter(inquiry, around, DOUBLE_BITS, rng)
    if scatter is None and (inquiry.grid.finest or inquiry.grid.single):
        scatter = yield from _scatter(inquiry, around, SINGLE_BITS, rng)
    inquiry.scatter = max(inquiry.scatter, scatter or 0.0)


def measure_repeats(
    inquiry: Inquiry, around: Surroundings
) -> Generator[Probes, Answers, None]:
    """Ask the instance in calls of its own, and note what the answers differ by.

    Some services answer a row differently in another batch.
    """
    answers = []
    for _ in range(REPEATED):
        answers.append((yield from inquiry.ask(around.x[None], Purpose.NOISE)))
    l = np.concatenate([a.l for a in answers])  # noqa: E741
    apart = _in_steps(np.ptp(l, axis=0), 2.0 * answers[0].noise[0])
    inquiry.scatter = max(inquiry.scatter, apart)


def _scatter(
    inquiry: Inquiry, around: Surroundings, bits: int, rng: np.random.Generator
) -> Generator[Probes, Answers, float | None]:
    """Steps of noise that pairs differ by, close by in numbers of so many bits.

    None where no score moved. In the difference of two pairs the instance's own answer
    cancels, so that a piece so thin that it holds only the instance is not taken for
    noise.
    """
    last = spacing(around.x, around.scale, bits)
    size = np.repeat([CLOSEST, CLOSE], 2)[:, None]
    # Beside a limit pairs move inwards: cut to one side, they would show the slope.
    lower, upper = around.lower + size * last, around.upper - size * last
    middle = np.clip(around.x, lower, upper)
    steps = last * np.rint(size * rng.uniform(0.1, 1.0, size=(4, len(last))))
    steps *= rng.choice([-1.0, 1.0], size=steps.shape)
    points = np.concatenate([middle + steps, middle - steps])
    points = np.clip(points, around.lower, around.upper)
    answers = yield from inquiry.ask(points, Purpose.NOISE)
    if np.all(answers.scores == answers.scores[0]):
        return None
    pairs = answers.l[:4] + answers.l[4:]
    noise = answers.noise[:4] + answers.noise[4:]
    closest = _in_steps(pairs[0] - pairs[1], noise[0] + noise[1])
    close = _in_steps(pairs[2] - pairs[3], noise[2] + noise[3])
    # Farther out a boundary may have come between; noise cannot be so much larger.
    return min(max(closest, close), REPEATS * max(closest, 1.0))


def may_be_noise(inquiry: Inquiry, excess: float) -> bool:
    """Whether answers that miss by so many tolerances are worth a measurement."""
    return excess < DOUBTFUL and inquiry.measured < MOST_MEASURED


def _in_steps(apart: Floats, noise: Floats) -> float:
    """How many steps of noise (K,) answers are apart (K,), in the worst column."""
    with np.errstate(invalid="ignore", divide="ignore"):
        steps = np.abs(apart) / noise
    return float(steps[np.isfinite(steps)].max(initial=0.0))
