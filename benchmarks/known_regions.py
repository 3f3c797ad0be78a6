"""To look an instance up among 100,000 known regions takes less than it saves.

At d = 784, beside a service of 0.1 ms a row, where a region that is known saves d + 1
questions but for those that confirm it. An instance near the one that a region was
learnt from finds it, and one of no known region finds none. What is remembered stays
within its limit, however many regions come in.

About half a minute, and 3 GiB; --quick learns no more regions than that limit holds
and a few. Regions are made up, since what they cost does not depend on the model.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from _cost import clock, peak
from _harness import Claim, Options, Table, run
from numpy.typing import NDArray

from facetwise.core.radius import FINE
from facetwise.core.regions import MOST_NUMBERS, Regions
from facetwise.core.response import LogOdds, Response

Array = NDArray[np.float64]

D, REGIONS, CLASSES = 784, 100_000, 10
A_ROW = 1e-4
"""Seconds that a fast service takes for a row."""

SAVED = (D + 1) - (1 + FINE.checks)
"""Questions that a known region saves: a design, but for what confirms the region."""

EXACT, RADIUS = 1e-12, 0.1
READ = LogOdds(Response.REGRESSION, 0, ())


def answer(regions: Regions, x: Array, value: float) -> list[int]:
    """Places of the regions that explain a value at x."""
    found = regions.explaining(x, np.array([value]), np.array([EXACT]), READ)
    return [known.place for known in found]


def looked_up(rng: np.random.Generator, tries: int) -> Iterator[Claim]:
    """Learn regions, and look up instances that are in one of them, and in none."""
    regions = Regions(1, np.ones(D))
    anchors, T = rng.standard_normal((2, REGIONS, D))
    for a, slopes in zip(anchors, T, strict=True):
        regions.learn(a, slopes[None], np.zeros(1), EXACT, EXACT, RADIUS)
    picked = rng.choice(REGIONS, tries, replace=False)
    near = anchors[picked] + 0.1 * rng.standard_normal((tries, D))
    seconds, right, none = [], 0, 0
    for place, x in zip(picked.tolist(), near, strict=True):
        started = clock()
        right += answer(regions, x, T[place] @ x) == [place]
        seconds.append(clock() - started)
        none += answer(regions, rng.standard_normal(D), 1e3) == []
    table = Table(regions=10, features=9, look_up_ms=11, questions_saved=16, their_ms=9)
    milliseconds = 1e3 * float(np.median(seconds))
    table.row(str(REGIONS), D, milliseconds, SAVED, 1e3 * A_ROW * SAVED)
    yield Claim("look-up, ms", milliseconds, 1e3 * A_ROW * SAVED)
    yield Claim("found near by", right / tries, 1.0, at_least=True)
    yield Claim("none found where there is none", none / tries, 1.0, at_least=True)


def remembered(more: float) -> Iterator[Claim]:
    """Learn more regions than memory holds."""
    regions, a = Regions(CLASSES, np.ones(D)), np.ones(D)
    T, b = np.ones((CLASSES, D)), np.ones(CLASSES)
    most = MOST_NUMBERS // (CLASSES * D)
    for _ in range(int(more * most)):
        regions.learn(a, T, b, EXACT, EXACT, RADIUS)
    yield Claim(f"regions of {CLASSES} classes kept", regions.count, most)
    yield Claim("memory that the run has taken, GiB", peak(), 3.0)


def benchmark(options: Options) -> Iterator[Claim]:
    """Look up, and overfill."""
    rng = np.random.default_rng(options.seed)
    yield from looked_up(rng, 50 if options.quick else 500)
    yield from remembered(1.05 if options.quick else 4.0)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
