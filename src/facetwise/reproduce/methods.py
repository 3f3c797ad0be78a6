"""The methods that are compared, each with its settings and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from facetwise import Domain, Explainer, Explanation
from facetwise.baselines import (
    Algorithm1,
    GradientInput,
    IntegratedGradients,
    LimeImage,
    LogOddsLime,
    Method,
    Naive,
    Saliency,
    Zoo,
)
from facetwise.baselines.record import Sees

DISTANCES = {"1e-2": 1e-2, "1e-4": 1e-4, "1e-8": 1e-8}
"""h of the perturbation methods, as the paper has it."""

PIXELS = Domain(scale=1.0)
"""All features have one unit; like Algorithm 1, ours may leave [0, 1]."""

PUBLISHED_FORM = 2
"""Instances on which Algorithm 1 is timed with a factorisation for each pair."""

EFFECT, LIKENESS, PROBES, EXACT = "figure 3", "figure 4", "figures 5 and 6", "figure 7"
"""What is measured, by the figures of the paper that show it."""


@dataclass(frozen=True, slots=True)
class Facetwise:
    """Ours, as a method beside the others: one instance at a time, nothing known."""

    seed: int = 0
    sees: ClassVar[Sees] = "scores"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Explanation:
        """The explanation of class `targets` at each of X (n, d)."""
        explainer = Explainer(
            model,
            target=targets,
            domain=PIXELS,
            response="probabilities",
            seed=self.seed,
            progress=False,
        )
        return explainer(X)


@dataclass(frozen=True, slots=True)
class Entrant:
    """A method with one setting: how to make it from a seed, and what to measure.

    `letter` is its sign in the paper's figures. Where `first` is set, only that many
    instances are explained.
    """

    method: str
    setting: str
    letter: str
    make: Callable[[int], Method]
    measured: frozenset[str]
    first: int | None = None

    @property
    def label(self) -> str:
        """What figures call it: `Z(1e-4)`."""
        return f"{self.letter}({self.setting})" if self.setting else self.letter


def _entrants() -> list[Entrant]:
    everything = frozenset({EFFECT, LIKENESS, PROBES, EXACT})
    shown = frozenset({EFFECT, LIKENESS})
    sampled = frozenset({PROBES, EXACT})
    several: dict[tuple[str, str], Callable[[float, int], Method]] = {
        ("naive", "N"): lambda h, seed: Naive(h, seed=seed),
        ("zoo", "Z"): lambda h, seed: Zoo(h),
        ("linear lime", "L"): lambda h, seed: LogOddsLime(h, 0.0, seed=seed),
        ("ridge lime", "R"): lambda h, seed: LogOddsLime(h, 1.0, seed=seed),
    }
    return [
        Entrant("facetwise", "", "FW", lambda seed: Facetwise(seed), everything),
        Entrant(
            "algorithm 1", "", "OA", lambda seed: Algorithm1(False, seed), everything
        ),
        Entrant(
            "algorithm 1",
            "a solve for each pair",
            "OA",
            lambda seed: Algorithm1(True, seed),
            frozenset(),
            first=PUBLISHED_FORM,
        ),
        *(
            Entrant(name, told, letter, _at(make, h), sampled)
            for (name, letter), make in several.items()
            for told, h in DISTANCES.items()
        ),
        Entrant("saliency", "", "S", lambda seed: Saliency(), shown),
        Entrant("gradient input", "", "G", lambda seed: GradientInput(), shown),
        Entrant(
            "integrated gradients", "", "I", lambda seed: IntegratedGradients(), shown
        ),
        Entrant("lime", "", "L", lambda seed: LimeImage(seed=seed), shown),
    ]


def _at(make: Callable[[float, int], Method], h: float) -> Callable[[int], Method]:
    return lambda seed: make(h, seed)


ENTRANTS = {(e.method, e.setting): e for e in _entrants()}
"""By method and setting, in the order in which they are shown."""

METHODS = tuple(dict.fromkeys(method for method, _ in ENTRANTS))
"""Names of the methods."""


def measuring(what: str) -> list[Entrant]:
    """The entrants of which that is measured."""
    return [entrant for entrant in ENTRANTS.values() if what in entrant.measured]
