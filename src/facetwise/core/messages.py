"""What a recovery says to the world, and what it hears back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]


class Purpose(Enum):
    """Why points are asked; journals show it, the model never sees it."""

    ORIGIN = "the instance itself"
    PAIR = "two points on opposite sides of the instance, to find the radius"
    DESIGN = "the points that the weights are solved from"
    CHECK = "points drawn after the answer was fixed, to verify it"
    LATTICE = "the next value of a feature that has only some"
    NOISE = "repeated or near-identical points, to measure the floor"


@dataclass(frozen=True, slots=True)
class Probes:
    """Points (n, d) to ask the model about."""

    points: Floats
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Answers:
    """Scores (n, C) for the points just asked, and the call (n,) each row came back in.

    A row that the model could not answer holds NaN.
    """

    scores: Floats
    batch: Ints
