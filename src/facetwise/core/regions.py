"""Core parameters that are known from instances finished before.

An instance in a known region is answered as they predict, which is soon seen. That is
no proof: check points, asked now, decide.

Notation
--------
T    slopes of each score on its linear scale, in raw units     (C, d)
b    its intercepts                                             (C,)
a    anchor: the instance that they were learnt from            (d,)

Scores of a softmax are known up to a shift that all classes share. Classes of which
nothing is known have NaN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.core.response import LogOdds

MOST_NUMBERS = 2**27
"""Numbers that all regions together may have, 1 GiB; then that goes which has been of
no use for longest."""

WORK = 2**19
"""Numbers that one look-up goes over, once the regions nearest by were picked."""

SKETCH = 16
"""Random projections by which near anchors are found."""

MOST_TRIED = 2
"""Regions that an instance may be checked against."""

MOST_ALIKE = 16
"""Regions that fit which are gone through for some that are not the same one."""


@dataclass(frozen=True, slots=True)
class Known:
    """Core parameters that would explain an answer: slopes T (C, d).

    They held in a box of half-width `radius`; `place` is where they are kept.
    """

    T: Floats
    radius: float
    place: int


class Regions:
    """Keeps core parameters, and finds those that an answer may come from."""

    def __init__(self, classes: int, scale: Floats) -> None:
        d = len(scale)
        self.count = 0
        self._scale = scale
        self._most = MOST_NUMBERS // (d * classes)
        self._uses = 0
        self._projection = np.random.default_rng(0).standard_normal((d, SKETCH))
        self._T, self._b = np.empty((classes, 0, d)), np.empty((classes, 0))
        self._sketch, self._used = np.empty((0, SKETCH)), np.empty(0)
        self._away, self._bound, self._floor, self._radius = np.empty((4, 0))

    def learn(
        self,
        a: Floats,
        T: Floats,
        b: Floats,
        bound: float,
        floor: float,
        radius: float,
    ) -> None:
        """Take in what is known around a: T to within `bound`, answers to `floor`."""
        if not self._most:
            return
        place, scaled = self._free_place(), a / self._scale
        self._T[:, place], self._b[:, place] = T, b
        self._sketch[place] = scaled @ self._projection
        self._away[place], self._radius[place] = np.linalg.norm(scaled), radius
        self._bound[place], self._floor[place] = bound, floor
        self.use(place)

    def use(self, place: int) -> None:
        """Note that a region was of use."""
        self._uses += 1
        self._used[place] = self._uses

    def explaining(
        self,
        x: Floats,
        l: Floats,  # noqa: E741  the paper's letter
        slack: Floats,
        read: LogOdds,
    ) -> list[Known]:
        """Regions whose log-odds at x are l (K,) to within their bounds, best first."""
        told = np.flatnonzero(np.isfinite(l))
        if not told.size or not self.count:
            return []
        # Numbers that large are in no region, for no box around them can be asked.
        with np.errstate(over="ignore", invalid="ignore"):
            fitting = self._fitting(x, l, slack, read, told)
        return [
            Known(self._T[:, place], float(self._radius[place]), place)
            for place in self._unlike(fitting, read)
        ]

    def _fitting(
        self,
        x: Floats,
        l: Floats,  # noqa: E741  the paper's letter
        slack: Floats,
        read: LogOdds,
        told: Ints,
    ) -> Ints:
        """Places of regions that explain the columns `told`, best first."""
        near = self._near(x)
        # An anchor is no farther away than both are from 0.
        away = np.linalg.norm(x / self._scale) + self._away[near]
        off = 2.0 * self._bound[near] * away + self._floor[near]
        near, off = near[np.isfinite(off)], off[np.isfinite(off)]
        for column in told.tolist():  # the first one leaves few to look at
            own, rival = read.classes(column)
            predicted = self._predicted(own, near, x) - self._predicted(rival, near, x)
            fits = np.abs(predicted - l[column]) <= off + slack[column]
            near, off = near[fits], off[fits]
        best: Ints = near[np.argsort(off, kind="stable")]
        return best

    def _unlike(self, places: Ints, read: LogOdds) -> list[int]:
        """The first of some places whose regions are not the same, to their bounds."""
        chosen: list[int] = []
        for place in places[:MOST_ALIKE].tolist():
            if not any(self._is_same(place, other, read) for other in chosen):
                chosen.append(place)
        return chosen[:MOST_TRIED]

    def _is_same(self, place: int, other: int, read: LogOdds) -> bool:
        """Whether weights differ by no more than the bounds of both, where known."""
        apart = read.compare((self._T[:, place] - self._T[:, other]).T)
        apart = np.nan_to_num(apart) * self._scale[:, None]
        known_to = self._bound[place] + self._bound[other]
        return bool(np.linalg.norm(apart, axis=0).max() <= 2.0 * known_to)

    def _predicted(self, c: int | None, places: Ints, x: Floats) -> Floats | float:
        """What regions say of the score of class c at x, 0 where there is no class."""
        if c is None:
            return 0.0
        # To pick all of them out would take longer than to go over them.
        some = slice(self.count) if len(places) == self.count else places
        predicted: Floats = self._T[c, some] @ x + self._b[c, some]
        return predicted

    def _near(self, x: Floats) -> Ints:
        """As many regions as one look-up may go over, those with near anchors."""
        most = max(1, WORK // len(x))
        if self.count <= most:
            return np.arange(self.count)
        sketch = (x / self._scale) @ self._projection
        away = np.sum((self._sketch[: self.count] - sketch) ** 2, axis=1)
        return np.sort(np.argpartition(away, most)[:most])

    def _free_place(self) -> int:
        if self.count == self._most:
            return int(np.argmin(self._used))
        if self.count == len(self._used):
            self._grow()
        self.count += 1
        return self.count - 1

    def _grow(self) -> None:
        more = min(max(16, self.count), self._most - self.count)
        self._T, self._b = (
            np.concatenate([kept, np.empty((len(kept), more, *kept.shape[2:]))], axis=1)
            for kept in (self._T, self._b)
        )
        self._sketch = np.vstack([self._sketch, np.empty((more, SKETCH))])
        self._used, self._away, self._bound, self._floor, self._radius = (
            np.append(kept, np.empty(more))
            for kept in (
                self._used,
                self._away,
                self._bound,
                self._floor,
                self._radius,
            )
        )
