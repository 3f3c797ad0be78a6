"""What the engine certifies is what openbox reads off the model, on trained networks.

On test images of each data set, in 64 bits: every certified D_c is within its bound of
the truth, and at least 99.5 % are certified. Where one is not, openbox confirms that a
boundary is too close. Rows that are moved up to a boundary show both: they go from
certified to refused as they come nearer. Data sets are those that FACETWISE_DATA has.

In full 1,000 images of each data set, with the paper's network and its tree, trained if
they were not yet: about half an hour on 2 cores. --quick explains 50 of the first, with
models that are trained in seconds, in about one minute.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from _harness import Claim, Options, Table, run
from _trained import models, outside
from numpy.typing import NDArray

import facetwise as fw
from facetwise.models import openbox

Array = NDArray[np.float64]

CERTIFIED = 0.995

CLOSE, UNREAD = 1e-10, 2.0**-6
"""Half-width of a box, of pixels between 0 and 1, that may be too small to certify.

The second is for rows that are too coarse: pixels whose weights are exactly zero, as
most are in a tree, may be moved that far to see whether the service reads them, and
then another leaf that is so near shows."""

GAPS = 10.0 ** -np.arange(2, 14)
"""How far rows that are placed beside a boundary are from it, as a share of the way
from one image to another."""

CORNERS = 64
"""Corners of a box, drawn at random, that are looked at for another region."""


def reach(box: Any, x: Array, rng: np.random.Generator) -> float:
    """Half-width of the largest box at x, in powers of ten, that shows one region."""
    here = box.regions(x[None])[0]
    for half in 10.0 ** -np.arange(1, 17):
        corners = x + half * rng.choice([-1.0, 1.0], (CORNERS, len(x)))
        if (box.regions(corners) == here).all():
            return float(half)
    return 0.0


def beside(box: Any, X: Array) -> tuple[Array, Array]:
    """Rows that lie ever closer to a boundary, and the points just beyond it.

    On the way from each row to the next, the first change of region is bisected.
    """
    near, beyond = [], []
    gaps = np.resize(GAPS, len(X))
    for x, other, gap in zip(X, np.roll(X, 1, axis=0), gaps, strict=True):
        here = box.regions(x[None])[0]
        low, high = 0.0, 1.0
        while high - low > gap * 1e-3:
            middle = (low + high) / 2
            same = box.regions((x + middle * (other - x))[None])[0] == here
            low, high = (middle, high) if same else (low, middle)
        near.append(x + max(0.0, low - gap) * (other - x))
        beyond.append(x + high * (other - x))
    return np.array(near), np.array(beyond)


def compared(
    box: Any, model: Any, rows: Array, across: Array, seed: int
) -> tuple[fw.Explanation, int, dict[fw.Status, float]]:
    """The explanation, rows outside their bound, and how far the others can be asked.

    Nearer to a boundary than the floor, the piece `across` it meets the model as well.
    """
    explanation = fw.Explainer(model, seed=seed, progress=False)(rows)
    wrong = outside(box, rows, explanation) & outside(box, across, explanation)
    rng = np.random.default_rng(seed)
    lost = np.flatnonzero(~explanation.certified)
    widest = dict.fromkeys(explanation.status[lost], 0.0)
    for i in lost:
        status = explanation.status[i]
        widest[status] = max(widest[status], reach(box, rows[i], rng))
    return explanation, int(wrong.sum()), widest


def benchmark(options: Options) -> Iterator[Claim]:
    """Explain, compare, and look around where nothing was certified."""
    table = Table(model=30, rows=5, certified=9, outside=7, widest_box=10)
    n = 50 if options.quick else 1000
    for what, model, test in models(options):
        box = openbox(model)
        order = np.random.default_rng(options.seed).permutation(len(test))
        X = test.X[order[:n]]
        placed = beside(box, X[: max(n // 10, len(GAPS))])
        for where, rows, across in ((what, X, X), (f"{what}, beside", *placed)):
            explanation, wrong, widest = compared(
                box, model, rows, across, options.seed
            )
            share = float(explanation.certified.mean())
            table.row(where, len(rows), share, wrong, max(widest.values(), default=0.0))
            for status, count in Counter(explanation.status).items():
                print(f"  {count} {status.name}")
            yield Claim(f"outside the bound, {where}", wrong, 0)
            for status, half in widest.items():
                close = UNREAD if status is fw.Status.TOO_COARSE else CLOSE
                yield Claim(f"widest box, {status.name}, {where}", half, close)
            if rows is X:
                yield Claim(f"certified, {where}", share, CERTIFIED, at_least=True)


if __name__ == "__main__":
    sys.exit(run(__doc__ or "", benchmark))
