"""Whether the same row gets the same answer: alone, twice in a call, among others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats
from facetwise.core.noise import REPEATED
from facetwise.endpoints.sameness import Sameness
from facetwise.inspection.trial import Trial

COPIES = 16
"""Of the row, where there is no other to put beside it."""


@dataclass(frozen=True, slots=True)
class Noise:
    """The most that a score of one row differed by, in each way of asking it.

    `repeatable` says whether arithmetic explains it all.
    """

    alone: float
    twice: float
    among_others: float
    again: float
    repeatable: bool

    @property
    def largest(self) -> float:
        """The most of all."""
        return max(self.alone, self.twice, self.among_others, self.again)

    @property
    def sentences(self) -> list[str]:
        """What there is to say."""
        if self.largest == 0.0:
            return ["The same row gets the same answer, to the last digit."]
        found = (
            f"Asked again, a score differs by up to {self.alone:.2g} alone, "
            f"{self.twice:.2g} twice in a call, {self.among_others:.2g} among others, "
            f"{self.again:.2g} in the same batch."
        )
        if self.repeatable:
            return [found, "That is arithmetic; certificates allow for it."]
        return [
            found,
            "That is no arithmetic: the service is random, or several versions answer. "
            "Fix its seed, or ask one of its replicas.",
        ]


def measure_noise(trial: Trial, X: Floats, y: Floats) -> Noise:
    """Ask the first row of X (n, d) again, which was answered y (n, C)."""
    others = X if len(X) > 1 else np.repeat(X, COPIES, axis=0)
    alone = [trial.scores(X[:1]) for _ in range(REPEATED)]
    twice = trial.scores(X[[0, 0]])
    batch = trial.scores(others)
    first = y[:1]
    answers = [*alone, twice[:1], twice[1:], batch[:1]]
    sameness = Sameness()
    sameness.see(y)
    for answer in answers:
        sameness.learn(first, answer)
    return Noise(
        _apart(alone[0], *alone[1:]),
        _apart(twice[:1], twice[1:]),
        _apart(alone[0], first, batch[:1]),
        _apart(batch, y) if len(X) > 1 else _apart(batch[:1], batch[1:]),
        all(sameness.agree(first, answer) for answer in answers),
    )


def _apart(y: Floats, *others: Floats) -> float:
    """The largest difference of any score; refused twice is none."""
    apart = [np.abs(y - other) for other in others]
    finite = [a[np.isfinite(a)].max(initial=0.0) for a in apart]
    return float(max(finite))
