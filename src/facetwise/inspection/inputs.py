"""How finely a model sees its inputs: whether it rounds them, or refuses fractions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.domain import ResolvedDomain
from facetwise.core.messages import Floats, Ints, Mask
from facetwise.endpoints.budget import BudgetError
from facetwise.errors import FacetwiseError
from facetwise.inspection.trial import Trial

SIZES = np.array([1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
"""Moves of all features that are tried, as shares of their scales."""

DIRECTIONS = 4
"""Random directions for each size."""

PLAIN = 4.0
"""Floors that a move should change an answer by, before its absence says anything."""

SINGLE = 1e-7
"""Moves that inputs of 32 bits may hide."""

MOST_WHOLE = 32
"""Whole features that are tried for fractions."""

FRACTION = 0.4


@dataclass(frozen=True, slots=True)
class Inputs:
    """What becomes of small moves, and of fractions in features that are whole.

    `seen` is the smallest move, as a share of the scales, that changed an answer;
    `unseen` the largest that changed none though it should have. `rounded` and
    `refused` name features among the `tried` ones that were whole in all rows.
    """

    seen: float | None
    unseen: float | None
    tried: tuple[str, ...]
    rounded: tuple[str, ...]
    refused: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        """What there is to say."""
        told = [self._moves]
        if self.refused:
            told.append(f"Fractions are refused in {', '.join(self.refused)}.")
        if self.rounded:
            told.append(f"Fractions seem to be rounded in {', '.join(self.rounded)}.")
        if self.refused or self.rounded:
            told.append("Pass Domain(step=1) for these features.")
        elif self.tried:
            told.append("Fractions are taken where the rows have whole numbers.")
        return told

    @property
    def _moves(self) -> str:
        if self.seen is None:
            return (
                "No small move of the features changes an answer: the model is "
                "constant there, or the answers are too coarse to tell."
            )
        if self.unseen is None:
            return (
                f"Inputs do not seem to be rounded: a move by {self.seen:.0e} of the "
                "features' scales is seen."
            )
        if self.unseen <= SINGLE:
            return "Inputs seem to be read in 32 bits."
        return (
            f"A move by {self.unseen:.0e} of the features' scales changes no answer, "
            "and larger ones do: inputs are rounded, or the model is piecewise "
            "constant. Pass Domain(step=…) for features that have only some values."
        )


def see_inputs(
    trial: Trial,
    X: Floats,
    names: list[str],
    domain: ResolvedDomain,
    scatter: float,
    seed: int,
) -> Inputs:
    """Move all features of the first row a little, and whole ones by a fraction.

    `scatter` is what answers to the same row differ by.
    """
    rng = np.random.default_rng(seed)
    seen, unseen = _moves(trial, X[0], domain, scatter, rng)
    whole = _whole_features(X, domain)
    rounded, refused = _fractions(trial, X[0], whole, domain, scatter)
    return Inputs(
        seen,
        unseen,
        tuple(names[j] for j in whole),
        tuple(names[j] for j in whole[rounded]),
        tuple(names[j] for j in whole[refused]),
    )


def _moves(
    trial: Trial,
    x: Floats,
    domain: ResolvedDomain,
    scatter: float,
    rng: np.random.Generator,
) -> tuple[float | None, float | None]:
    """The smallest size seen, and the largest that should have been and was not."""
    signs = rng.choice([-1.0, 1.0], size=(DIRECTIONS, len(x))) * domain.moving
    steps = SIZES[:, None, None] * signs * domain.scale
    points = np.clip(x + steps, domain.lower, domain.upper).reshape(-1, len(x))
    y = trial.scores(np.vstack([x, points]))
    apart = np.abs(y[1:] - y[0]).reshape(len(SIZES), -1)
    moved = np.nanmax(apart, axis=1, initial=0.0)
    floor = max(trial.floor(y[:1]), scatter)
    seen = SIZES[moved > floor]
    if not seen.size:
        return None, None
    # What a straight line from the farthest points promises of nearer ones.
    plain = moved[-1] * SIZES / SIZES[-1] > PLAIN * floor
    unseen = SIZES[plain & (moved <= floor)]
    return float(seen.min()), float(unseen.max()) if unseen.size else None


def _whole_features(X: Floats, domain: ResolvedDomain) -> Ints:
    """Places of features that move, and are whole in all rows and not always alike."""
    whole = domain.moving & (np.rint(X) == X).all(axis=0) & (np.ptp(X, axis=0) > 0.0)
    return np.flatnonzero(whole)[:MOST_WHOLE]


def _fractions(
    trial: Trial, x: Floats, whole: Ints, domain: ResolvedDomain, scatter: float
) -> tuple[Mask, Mask]:
    """Which of the whole features round a fraction, and which refuse it."""
    none = np.zeros(len(whole), dtype=bool)
    if not whole.size:
        return none, none
    inwards = np.where(x + 1.0 <= domain.upper, 1.0, -1.0)[whole]
    steps = np.zeros((len(whole), len(x)))
    steps[np.arange(len(whole)), whole] = inwards
    y = trial.scores(np.vstack([x, x + steps]))
    try:
        between = trial.scores(x + FRACTION * steps)
    except BudgetError:
        raise
    except FacetwiseError:
        return none, ~none  # whole numbers went well in the same places
    floor = max(trial.floor(y[:1]), scatter)
    answered = np.isfinite(y[1:]).all(axis=1)
    refused = np.logical_and(answered, np.isnan(between).any(axis=1))
    moved: Mask = np.abs(y[1:] - y[0]).max(axis=1) > PLAIN * floor
    still: Mask = np.abs(between - y[0]).max(axis=1) <= floor
    rounded: Mask = moved & still
    return rounded, refused
