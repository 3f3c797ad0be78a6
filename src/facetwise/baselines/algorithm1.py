"""Algorithm 1 of the paper as a method beside the others: `core.algorithm1`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from facetwise.baselines.asking import Answer, Instance, explain_each
from facetwise.baselines.record import Attributed, Sees
from facetwise.core.algorithm1 import algorithm1, solve_each_pair
from facetwise.core.domain import Domain
from facetwise.core.messages import Answers, Floats
from facetwise.core.task import Task

NO_CERTIFICATE = 0.5
"""A chance that a task has to name, and that Algorithm 1 does not look at."""


def solve_by_pivots(A: Floats, L: Floats) -> Floats:
    """Least squares for all pairs at once, by QR: a third of the time of an SVD."""
    beta: Floats = linalg.lstsq(A, L, lapack_driver="gelsy")[0]
    return beta


@dataclass(frozen=True, slots=True)
class Algorithm1:
    """As published, it factorises once for each pair of classes.

    With `each_pair=False` one factorisation serves all pairs, for the same solution.
    """

    each_pair: bool = True
    seed: int = 0
    sees: ClassVar[Sees] = "scores"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """D_c (n, d); NaN where 100 hypercubes had no solution."""
        return explain_each(self, self._one, model, X, targets, self.seed)

    def _one(self, instance: Instance) -> Answer:
        x = instance.x
        scores = instance.scores(x[None])[0]
        task = Task(
            x,
            instance.reading(len(scores)),
            Domain().resolve(x[None]),
            NO_CERTIFICATE,
            instance.seed,
        )
        solver = solve_each_pair if self.each_pair else solve_by_pivots
        recovery, answers = algorithm1(task, scores, solver), None
        while True:
            try:
                # A generator is begun by sending None.
                probes = recovery.send(answers)  # type: ignore[arg-type]
            except StopIteration as end:
                found = end.value
                return Answer(found.local.D, found.designs, found.radius)
            heard = instance.scores(probes.points)
            answers = Answers(heard, np.zeros(len(heard), dtype=np.intp))
