"""One instance of a made-up service, questioned by hand: what the core's steps need."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, TypeVar

import numpy as np

from facetwise.core.check import Checked, check
from facetwise.core.designs import Design, SignedCosine
from facetwise.core.domain import Domain
from facetwise.core.fit import Fit, solve
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Probes, Purpose
from facetwise.core.pairs import Pairs
from facetwise.core.radius import FINE, Failure, Pace, Search
from facetwise.core.response import LogOdds, Response
from facetwise.core.span import Directions
from problems import Array, Service

T = TypeVar("T")

STAKES = [2.0**-k for k in range(10, 40)]
"""Shares of alpha that are all different, so that a round can be told by its share."""


class Interview:
    """Asks a service about x what a generator wants to know, and keeps the record.

    Outputs count by themselves unless `rivals` are given. Nothing but `x` has been
    asked to begin with.
    """

    def __init__(
        self,
        service: Service,
        x: Array,
        kind: Response = Response.REGRESSION,
        target: int = 0,
        rivals: Iterable[int] = (),
        domain: Domain | None = None,
        seed: int = 0,
    ) -> None:
        """Ask `service` about x itself."""
        self.service = service
        self.asked: list[Probes] = []
        resolved = (domain or Domain()).resolve(x[None])
        read = LogOdds(kind, target, tuple(rivals))
        self.inquiry = Inquiry(read, x, resolved.moving)
        self.around = resolved.around(x)
        self.origin = self.inquiry.hear(self._scores(x[None]))
        self.rng = np.random.default_rng(seed)
        self.design: Design = SignedCosine(len(self.around.x), self.rng)

    def _scores(self, X: Array) -> Array:
        return np.asarray(self.service(X), dtype=float).reshape(len(X), -1)

    def run(self, questions: Generator[Probes, Answers, T]) -> T:
        """Answer all questions of a generator; what it returns."""
        try:
            probes = next(questions)
            while True:
                self.asked.append(probes)
                scores = self._scores(probes.points)
                probes = questions.send(Answers(scores, np.zeros(len(scores), int)))
        except StopIteration as end:
            return end.value

    def calls(self, purpose: Purpose) -> list[Array]:
        """Points asked for a purpose, call by call."""
        return [p.points for p in self.asked if p.purpose is purpose]

    @property
    def points(self) -> Array:
        """All points asked so far, the first one first."""
        return np.vstack([p.points for p in self.asked])

    def pairs(self) -> Pairs:
        """Pairs about the instance."""
        return Pairs(self.inquiry, self.around, self.origin, self.design, self.rng)

    def search(self, precision: float = 0.01) -> Search:
        """A search for its radius."""
        return Search(self.pairs(), precision)

    def fit(self, r: float) -> Fit:
        """Weights from a design in the box of radius r."""
        return self.run(solve(self.inquiry, self.pairs().place(r)))

    def check(
        self,
        fit: Fit,
        r: float,
        pace: Pace = FINE,
        stakes: Iterable[float] = (1e-6,) * 20,
        seed: int = 1,
    ) -> Checked | Failure:
        """Check points for a fit in the box of radius r."""
        rng = np.random.default_rng(seed)
        about = self.inquiry, self.around, self.origin
        return self.run(check(*about, fit, r, pace, iter(stakes), rng, self.rng))


def linear(rng: np.random.Generator, d: int, K: int = 1) -> tuple[Array, Array]:
    """Weights (d, K) and intercepts (K,) of about unit size."""
    return rng.standard_normal((d, K)), rng.standard_normal(K)


def some_directions(rng: np.random.Generator, d: int, k: int) -> Directions:
    """A subspace of k of d dimensions to probe in, in which no feature sticks out."""
    return Directions(SignedCosine(d, rng).rows(0, k))


def affine(
    d: int, seed: int = 0, scale: float = 1.0, **limits: Any
) -> tuple[Interview, Array]:
    """An interview about an affine service, and its weights."""
    rng = np.random.default_rng(seed)
    D, B = linear(rng, d)
    x = rng.uniform(1.0, 2.0, d)
    domain = Domain(scale=scale, **limits)
    return Interview(lambda X: (X - x) @ D + B, x, domain=domain), D[:, 0]


def miss(checked: Checked, D: Array) -> float:
    """How far the weights (d,) of the box that was checked are off, as bounded."""
    return float(np.linalg.norm(checked.V[:, 0] - D * checked.box.half))
