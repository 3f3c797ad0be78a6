"""Models that cut space into leaves, with an affine function in each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from facetwise.core.messages import Floats
from facetwise.models.whitebox.local import Pattern

BUDGET = 2**23
"""Numbers that the weights of a chunk may hold: 64 MB of them."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A model whose leaves can be told, and the affine functions in them."""

    features: int
    outputs: int
    leaf_of: Callable[[Floats], NDArray[Any]]
    core: Callable[[Floats], tuple[Floats, Floats]]
    ask: Callable[[Floats], Floats]

    @property
    def rows(self) -> int:
        """As many as keep within the budget."""
        return max(1, BUDGET // (self.outputs * self.features))

    def answers(self, X: Floats) -> Floats:
        """As the model's own class computes them."""
        return self.ask(X)

    def patterns(self, X: Floats) -> Sequence[Pattern]:
        """The leaf of each row, by its number."""
        return [np.asarray(self.leaf_of(X), dtype=np.int64)]

    def local(self, X: Floats) -> tuple[Floats, Floats, Sequence[Pattern]]:
        """What the leaves hold."""
        return *self.core(X), self.patterns(X)


def affine(W: Floats, b: Floats, ask: Callable[[Floats], Floats]) -> Partition:
    """A model of one leaf: weights W (C, d) and intercepts b (C,) everywhere."""

    def core(X: Floats) -> tuple[Floats, Floats]:
        n = len(X)
        return np.broadcast_to(W, (n, *W.shape)), np.broadcast_to(b, (n, *b.shape))

    C, d = W.shape
    return Partition(d, C, lambda X: np.zeros(len(X)), core, ask)


def constant(
    features: int,
    leaf_of: Callable[[Floats], NDArray[Any]],
    ask: Callable[[Floats], Floats],
) -> Partition:
    """A model whose answers (n, C) are the same all over a leaf."""

    def core(X: Floats) -> tuple[Floats, Floats]:
        b = ask(X)
        return np.zeros((*b.shape, features)), b

    outputs = ask(np.zeros((1, features))).shape[1]
    return Partition(features, outputs, leaf_of, core, ask)
