"""Whether a model looks piecewise linear around a few rows: they are explained."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from facetwise.core.status import Status
from facetwise.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Shape:
    """How explaining a few rows ended, and the questions that it took for each."""

    statuses: tuple[Status, ...]
    questions: float

    @property
    def piecewise_linear(self) -> bool | None:
        """Whether it looks so; None where these rows do not tell."""
        if any(_certified(status) for status in self.statuses):
            return True
        if Status.SMOOTH in self.statuses:
            return False
        return None

    @property
    def sentences(self) -> list[str]:
        """What there is to say."""
        n = len(self.statuses)
        certified = sum(map(_certified, self.statuses))
        each = f"{self.questions:.0f} questions a row"
        told = f"Certified: {certified} of {n} rows, at {each}."
        verdict = {
            True: "It looks piecewise linear around them.",
            False: "It bends around them, as far as the digits show.",
            None: "Whether it is piecewise linear cannot be told from them.",
        }[self.piecewise_linear]
        others = Counter(s for s in self.statuses if not _certified(s))
        return [f"{told} {verdict}", *(f"{k} of {n}: {s}" for s, k in others.items())]


def shape_of(explanation: Explanation) -> Shape:
    """What an explanation of a few rows shows."""
    return Shape(tuple(explanation.status), float(explanation.queries.mean()))


def _certified(status: Status) -> bool:
    return status in (Status.CERTIFIED, Status.PARTLY_CERTIFIED)
