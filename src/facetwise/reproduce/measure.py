"""One instance explained by one method, and everything that is measured of it."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from facetwise import Explanation, Status, metrics
from facetwise.baselines import Attribution, Method
from facetwise.core.messages import Floats, Ints
from facetwise.models import openbox
from facetwise.models.whitebox.local import OpenBox
from facetwise.reproduce.methods import EFFECT, EXACT, LIKENESS, PROBES, Entrant
from facetwise.reproduce.targets import Target

ALTERED = 200
"""Features that are altered for figure 3."""

REGIONS_AT_ONCE = 100
"""Regions whose slopes are looked at together, so that memory stays small."""

WITHIN = 1.0 + 1e-6
"""Times the radius at which a probe still lies in its box: x + h is rounded."""

NOUGHT = 1e-6
"""A weight below this part of the largest is told as zero: what Algorithm 1 leaves of a
weight that is zero is rounding."""

Numbers = dict[str, float]


class Scene:
    """A target model, the truth about it, and the test images to explain."""

    def __init__(self, target: Target) -> None:
        self.model = target.model
        self.box: OpenBox = openbox(target.model)
        self.X: Floats = target.data.test.X

    def predicted(self, x: Floats) -> int:
        """The class (by number) that scores highest."""
        return int(self.model.predict_proba(x[None])[0].argmax())

    def neighbours(self, instances: Ints) -> Ints:
        """The nearest other test image to each."""
        return metrics.nearest_neighbours(instances, self.X)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Numbers by the name of the measure, and what figures 2 and 3 average.

    `cpp` (k,) and `changed` (k,) are of the altered instances, `values` (d,) the
    weights.
    """

    target: int
    numbers: Numbers
    values: Floats
    cpp: Floats
    changed: Floats


class Recording:
    """A function of scores that remembers what it was asked."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._asked: list[Floats] = []

    def __call__(self, X: Floats) -> Floats:
        """Scores of the rows X."""
        self._asked.append(np.array(X))
        scores: Floats = self._model.predict_proba(X)
        return scores

    def probes(self, x: Floats, radius: float) -> Floats:
        """Rows asked (m, d) within the box of that half-width at x; not x itself."""
        asked = np.vstack(self._asked)
        far = np.abs(asked - x).max(axis=1)
        inside: Floats = asked[(far > 0.0) & (far <= radius * WITHIN)]
        return inside


def measure(
    entrant: Entrant, scene: Scene, instance: int, neighbour: int, seed: int
) -> Measured:
    """Explain a test image's predicted class, and measure what the entrant is for."""
    x, other = scene.X[[instance, neighbour]]
    target, recording = scene.predicted(x), Recording(scene.model)
    explain = functools.partial(_explained, entrant.make(seed), target=target)
    started = time.perf_counter()
    found = explain(scene, recording, x)
    seconds = time.perf_counter() - started
    values = against_all(found)
    numbers: Numbers = {
        "answered": float(np.isfinite(values).all()),
        "questions": float(found.queries[0]),
        "seconds": seconds,
        "iterations": float(found.designs[0]),
        "zero weights": float(np.mean(np.abs(values) <= NOUGHT * np.abs(values).max())),
    }
    cpp = changed = np.empty(0)
    if EFFECT in entrant.measured:
        cpp, changed = effect(scene, x, values, target)
    if LIKENESS in entrant.measured:
        there = against_all(explain(scene, Recording(scene.model), other))
        cosine = metrics.cosine_similarity(values[None], there[None])[0]
        numbers["cosine similarity"] = float(cosine)
    if PROBES in entrant.measured:
        asked = recording.probes(x, float(found.radius[0]))
        probes = relied_on(scene, found, asked, target)
        numbers["left out"] = float(len(asked) - len(probes))
        numbers |= quality(scene.box, x, probes, target)
    if EXACT in entrant.measured:
        numbers |= exactness(scene.box, x, values, target)
    if isinstance(found, Explanation):
        numbers |= certificate(scene.box, x, found)
    return Measured(target, numbers, values, cpp, changed)


def _explained(
    method: Method, scene: Scene, recording: Recording, x: Floats, target: int
) -> Attribution:
    """What a method says of x, given the scores or the model, as it needs."""
    seen = recording if method.sees == "scores" else scene.model
    return method(seen, x[None], np.array([target]))


def against_all(found: Attribution) -> Floats:
    """The weights (d,) of the one row, if they are D_c and not those of one rival."""
    if isinstance(found, Explanation) and found.contrast[0] >= 0:
        return np.full(found.values.shape[1], np.nan)
    values: Floats = found.values[0]
    return values


def effect(scene: Scene, x: Floats, values: Floats, target: int) -> tuple[Floats, ...]:
    """CPP (k,), and whether the label has changed (k,), for k = 0, 1, … features."""
    rows = metrics.altered(x, values, ALTERED)
    scores = scene.model.predict_proba(rows)
    changed = scores.argmax(axis=1) != target
    return metrics.change_of_probability(scores, target), changed.astype(np.float64)


def relied_on(scene: Scene, found: Attribution, probes: Floats, target: int) -> Floats:
    """Those of the probes that the answer rests on.

    facetwise names a few that strayed out of the region, and leaves them out: their
    answers miss its weights by far more than its floor. No other method does so.
    """
    if not isinstance(found, Explanation) or found.contrast[0] >= 0:
        return probes
    scores = np.log(scene.model.predict_proba(probes))
    log_odds = scores[:, target] - np.delete(scores, target, axis=1).mean(axis=1)
    misses = np.abs(log_odds - (probes @ found.values[0] + found.base_values[0]))
    kept: Floats = probes[misses <= found.floor[0]]
    return kept


def quality(box: OpenBox, x: Floats, probes: Floats, target: int) -> Numbers:
    """RD and WD of the probes; NaN where a method has left none."""
    if not len(probes):
        return {"RD": np.nan, "WD": np.nan}
    own = box(x[None])
    regions = box.regions(probes)
    total = sum(
        count * metrics.weight_difference(own.W[0], W, target, counts)
        for W, counts, count in _by_region(box, probes, regions)
    )
    rd = metrics.region_difference(own.region[0], list(regions))
    return {"RD": float(rd), "WD": total / len(probes)}


def _by_region(
    box: OpenBox, probes: Floats, regions: Any
) -> Iterator[tuple[Floats, Ints, int]]:
    """Slopes (m, C, d) of regions, the probes in each (m,), and those in all of them.

    Probes share regions, so that each is looked into once.
    """
    keys = {key: i for i, key in enumerate(regions)}
    counts = dict.fromkeys(keys, 0)
    for key in regions:
        counts[key] += 1
    first = np.array(list(keys.values()))
    numbers = np.array([counts[key] for key in keys])
    for start in range(0, len(first), REGIONS_AT_ONCE):
        part = slice(start, start + REGIONS_AT_ONCE)
        yield box(probes[first[part]]).W, numbers[part], int(numbers[part].sum())


def exactness(box: OpenBox, x: Floats, values: Floats, target: int) -> Numbers:
    """L1Dist to the truth that openbox reads, and the cosine between the two."""
    truth, _ = box(x[None]).decision_features(target)
    return {
        "L1Dist": float(metrics.l1_distance(values[None], truth)[0]),
        "cosine to truth": float(metrics.cosine_similarity(values[None], truth)[0]),
    }


def certificate(box: OpenBox, x: Floats, found: Explanation) -> Numbers:
    """Whether it is certified, what it bounds, and how far off the truth is.

    Both are Euclidean; "within" tells whether every weight is within its own bound.
    """
    target, rival = int(found.target[0]), int(found.contrast[0])
    local = box(x[None])
    truth = local.contrast(target, rival) if rival >= 0 else None
    D, _ = truth or local.decision_features(target)
    off = found.values[0] - D[0]
    certified = bool(found.certified[0])
    inside = bool((np.abs(off) <= found.error_bound[0]).all())
    return {
        "certified": float(found.status[0] is Status.CERTIFIED),
        "bound": float(found.scaled_bound[0]),
        "error": float(np.linalg.norm(off)),
        "within": float(inside) if certified else np.nan,
    }
