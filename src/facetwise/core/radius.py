"""Step 1: how far the region reaches, found with pairs at larger and smaller radii."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

import numpy as np

from facetwise.core.floor import ARITHMETIC, Grid
from facetwise.core.inquiry import USEFUL
from facetwise.core.messages import Answers, Floats, Probes
from facetwise.core.noise import may_be_noise, measure_scatter
from facetwise.core.pairs import Look, Pairs

FIRST = 2.0**-3
"""Length of the first steps when nothing is known, in scaled units; radii are √d times
smaller, since a step goes that far when all features move by a radius."""

GALLOP, STRIDE = 16.0, 4.0
"""The steps down: while nothing is known, and near a radius that is about right."""

UTMOST = 1.0
"""The widest box looked at before the search is content, in scaled units."""

ENOUGH = {1: 1, 4: 2, 10: 3, 200: 4}
"""From how many features on that many pairs have to agree at the radius that is taken.
A pair costs a question, a design of which many probes stray costs d of them."""

EXPECTED = 12.0
"""What a bound on the weights of a box usually is, in noises of one answer."""

HOPELESS = 5.0 * USEFUL
"""A bound that is expected to be this share of the weights is not worth a design."""

STANDS_OUT = 10.0
"""Floors that a curvature must fall short by, to be told from a boundary."""

LEAST = 1.0 / ARITHMETIC
"""What a pair on a line may miss it by, in tolerances: a step of the answers' grid."""

CLOSEST = 1.25
"""A radius that fails and one that holds are not brought closer than this ratio."""

FOLLOW, FARTHEST = 10.0, 1e3
"""In what steps, and how much farther, an answer stays constant to be called so."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How close the search goes to what fails, and how many check points it pays for.

    It ends when the radius that holds and the one that fails are within `bracket`.
    The design stays `safety` times inside that, since hundreds of probes reach further
    towards some boundary than a few pairs do. What fails is asked again `shrink` times
    closer.
    """

    bracket: float
    safety: float
    shrink: float
    checks: int


FINE = Pace(bracket=4.5, safety=2.6, shrink=4.0, checks=12)
"""Where answers have digits to spare, questions are dearer than bounds."""

SPARE = replace(FINE, safety=2.25, checks=16)
"""Where they have some digits to spare, and bounds are not next to nothing."""

COARSE = Pace(bracket=2.0, safety=2.0, shrink=2.0, checks=20)
"""Where answers are coarse, every factor of the radius is one of the bound."""

COARSEST = Pace(bracket=1.4, safety=1.5, shrink=2.0, checks=32)
"""Where they are so coarse that the bound which is wanted is out of reach."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A radius at which answers did not agree; infinitely so where one was refused.

    `row` is the row of the design that showed it, if one did.
    """

    radius: float
    excess: float
    row: int | None = None

    @classmethod
    def of(cls, look: Look) -> Failure:
        """What a pair that did not agree has shown."""
        return cls(look.radius, look.excess, look.row)

    def tells(self, radius: float, excess: float = 1.0) -> bool:
        """Whether no smooth function fails here and yet shows `excess` at `radius`.

        Its statistic shrinks as the square of the radius, a boundary's vanishes.
        """
        if np.isinf(self.excess):
            return False  # a refusal tells nothing
        return self.excess * (radius / self.radius) ** 2 >= STANDS_OUT * excess


@dataclass(slots=True)
class Search:
    """The search for one instance: what its pairs showed, and what failed.

    `failure` is what failed last, `telling` the pair that did so nearest by.
    """

    pairs: Pairs
    precision: float
    failure: Failure | None = None
    telling: Failure | None = None
    _noise: tuple[Grid, Floats] | None = None

    def fail(self, failure: Failure) -> None:
        """Note what failed last, and the nearest pair that did."""
        self.failure = failure
        is_pair = failure.row is not None
        if self.telling is None or (is_pair and failure.radius <= self.telling.radius):
            self.telling = failure

    def find(self, start: float | None) -> Generator[Probes, Answers, Look | None]:
        """The last look at a radius where enough pairs agree, beginning at `start`.

        It is flat where nothing moves, and None where there is no such radius.
        """
        r = start or FIRST / self.pairs.design.d**0.5
        stride = STRIDE if start else GALLOP
        while self.pairs.around.resolves(r / FINE.safety):
            look = yield from self._look(r)
            if look.agrees and look.flat:
                look = yield from self._follow(look)
                r = look.radius
            if not look.agrees:
                self.fail(Failure.of(look))
                r = self._below(stride)
                continue
            wider = self._wider(look)
            if wider is not None:
                r = wider
            elif look.flat or self._agreeing_at(r) >= self._enough():
                yield from self._look_outwards(look)
                return look
        return None

    def pace(self, r: float) -> Pace:
        """How close to go at a radius: does it leave more digits than are wanted?"""
        return self._pace(self._expected_bounds(self._sizes(r)))

    def pace_for(self, V: Floats) -> Pace:
        """The same for weights per half-width V (d, K) that are known."""
        return self._pace(self._expected_bounds(np.linalg.norm(V, axis=0)))

    def _pace(self, expected: Floats) -> Pace:
        worst = expected.max(initial=0.0)
        exact = self.pairs.inquiry.grid.finest
        for pace in (FINE if exact else SPARE, COARSE):
            if pace.safety * worst <= self.precision:
                return pace
        return COARSEST

    def is_hopeless(self, r: float) -> bool:
        """Whether no useful bound can be expected of a design at a radius."""
        expected = self.pace(r).safety * self._expected_bounds(self._sizes(r))
        return expected.size > 0 and bool(np.all(expected > HOPELESS))

    def _look(self, r: float) -> Generator[Probes, Answers, Look]:
        """A pair at a radius; where it misses by little, noise is measured first."""
        look = yield from self.pairs.along(r)
        if look.agrees or not self._is_doubtful(look):
            return look
        inquiry = self.pairs.inquiry
        before = inquiry.scatter
        yield from measure_scatter(inquiry, self.pairs.around, self.pairs.rng)
        return replace(look, excess=look.excess * before / inquiry.scatter)

    def _follow(self, flat: Look) -> Generator[Probes, Answers, Look]:
        """Follow a pair that did not move outwards, until one does.

        Equal answers never prove weights of zero: the service may round, and along a
        row of the design weights may cancel.
        """
        look, r = flat, flat.radius
        farthest = min(FARTHEST * r, self.failure.radius if self.failure else np.inf)
        while look.flat and look.agrees and r <= farthest:
            look = yield from self.pairs.anywhere(r)
            r *= FOLLOW
            if not self.pairs.around.resolves(r):
                break
        return look

    def _look_outwards(self, look: Look) -> Generator[Probes, Answers, None]:
        """Find a failure if there was none yet.

        As long as nothing fails, a smooth model cannot be told from a linear one.
        """
        while self.failure is None and not look.flat and look.radius < UTMOST:
            r = min(GALLOP * look.radius, UTMOST)
            look = yield from self._look(r)
            if not look.agrees:
                self.fail(Failure.of(look))

    def is_constant(self, flat: Look) -> bool:
        """Whether nothing moves, and not only up to where something does not agree."""
        return self.failure is None or self.failure.radius > FOLLOW * flat.radius

    def _below(self, stride: float) -> float:
        """The radius to look at after a failure."""
        assert self.failure is not None
        failed = self.failure.radius
        held = [a.radius for a in self.pairs.agreeing if a.radius < failed]
        if not held:
            return failed / stride
        return self._between(max(held), failed) or max(held)

    def _wider(self, look: Look) -> float | None:
        """A larger radius that is worth a look, now that one agrees."""
        if self.failure is not None:
            return self._between(look.radius, self.failure.radius)
        wider = STRIDE * look.radius
        can_wait = look.flat or self.pace(look.radius) in (FINE, SPARE)
        return None if can_wait or wider > UTMOST else wider

    def _between(self, held: float, failed: float) -> float | None:
        """A radius between one that agreed and one that failed, if they are far apart.

        They have to be close enough, too, to tell the failure from a curvature.
        """
        assert self.failure is not None
        telling = (self.failure.excess / (2.0 * STANDS_OUT * LEAST)) ** 0.5
        apart = max(CLOSEST, min(self.pace(held).bracket, telling))
        return (held * failed) ** 0.5 if failed / held > apart else None

    def _sizes(self, r: float) -> Floats:
        """Norms (K,) of weights per half-width r, as far as pairs have shown them."""
        if not self.pairs.changes:
            return np.zeros(0)
        changes = [change * (r / at) for at, change in self.pairs.changes]
        # A random direction of a box's length shows 1/√2 of the weights' norm.
        sizes: Floats = np.sqrt(2.0 * np.mean(np.square(changes), axis=0))
        return sizes

    def _expected_bounds(self, sizes: Floats) -> Floats:
        """What bounds to expect, as shares of the weights' norms, column by column."""
        if not sizes.size:
            return sizes
        noise = EXPECTED * self.pairs.inquiry.scatter * self._noise_of_origin()
        judged = np.isfinite(noise) & np.isfinite(sizes)
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = np.where(noise > 0.0, noise / sizes, 0.0)
        return np.asarray(expected[judged], dtype=np.float64)

    def _noise_of_origin(self) -> Floats:
        """What the grid hides (K,) of the instance's answer, as the grid is now."""
        grid = self.pairs.inquiry.grid
        if self._noise is None or self._noise[0] is not grid:
            self._noise = grid, self.pairs.origin.noise[0]
        return self._noise[1]

    def _agreeing_at(self, r: float) -> int:
        """Pairs that agreed at a radius or farther out."""
        return sum(a.radius >= r for a in self.pairs.agreeing)

    def _is_doubtful(self, look: Look) -> bool:
        """Whether a statistic is low, or did not shrink as a boundary's would."""
        shrinks = self.failure is None or look.excess < self.failure.excess / 2.0
        return may_be_noise(self.pairs.inquiry, look.excess if shrinks else 0.0)

    def _enough(self) -> int:
        """Pairs that have to agree before a design is worth its price."""
        return max(n for d, n in ENOUGH.items() if self.pairs.design.d >= d)
