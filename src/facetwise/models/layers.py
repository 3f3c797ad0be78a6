"""Fully connected networks whose hidden units choose among affine pieces, in NumPy.

Notation
--------
z   what weights and biases make of a layer's input     (n, units), or (n, k·units)
p   the piece that each unit takes                      (n, units)
G   slopes of the outputs, on their way backwards       (n, C, ·)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
"""Floats of 64 bits, or of 32."""

Pattern = NDArray[Any]


class Activation(Protocol):
    """A hidden layer's choice: an affine function of z once the pieces are known."""

    def taken(self, z: Array) -> Pattern:
        """The pieces p that hold at z."""

    def forward(self, z: Array, p: Pattern) -> Array:
        """The outputs (n, units) of these pieces."""

    def backward(self, G: Array, p: Pattern) -> Array:
        """Slopes with respect to z from those with respect to the outputs."""

    def astype(self, dtype: DTypeLike) -> Self:
        """The same in another float type."""


@dataclass(frozen=True, slots=True, eq=False)
class Rectifier:
    """z above zero, and slope·z elsewhere: ReLU, leaky ReLU, PReLU."""

    slope: Array

    def taken(self, z: Array) -> Pattern:
        """Whether z is above zero; zero itself counts as below."""
        return z > 0

    def forward(self, z: Array, p: Pattern) -> Array:
        """z or slope·z."""
        return np.where(p, z, self.slope * z)

    def backward(self, G: Array, p: Pattern) -> Array:
        """Slopes, times 1 or the slope below zero."""
        below = np.broadcast_to(self.slope, p.shape)
        return G * np.where(p, G.dtype.type(1), below)[:, None, :]

    def astype(self, dtype: DTypeLike) -> Self:
        """The same in another float type."""
        return replace(self, slope=self.slope.astype(dtype))


@dataclass(frozen=True, slots=True)
class Maxout:
    """The largest of a unit's k values; z holds the first of every unit first."""

    pieces: int

    def taken(self, z: Array) -> Pattern:
        """Which of its values is a unit's largest; of equal ones the first."""
        smallest = np.min_scalar_type(self.pieces - 1)
        p: Pattern = self._apart(z).argmax(axis=1).astype(smallest)
        return p

    def forward(self, z: Array, p: Pattern) -> Array:
        """The chosen values."""
        return np.take_along_axis(self._apart(z), p[:, None], axis=1)[:, 0]

    def backward(self, G: Array, p: Pattern) -> Array:
        """Slopes at the chosen values, and zero at the others."""
        n, C, units = G.shape
        spread = np.zeros((n, C, self.pieces, units), G.dtype)
        np.put_along_axis(spread, p[:, None, None], G[:, :, None], axis=2)
        return spread.reshape(n, C, -1)

    def astype(self, dtype: DTypeLike) -> Self:
        """The same: there is nothing to convert."""
        return self

    def _apart(self, z: Array) -> Array:
        return z.reshape(len(z), self.pieces, -1)


@dataclass(frozen=True, slots=True)
class Identity:
    """z itself: one piece, so that no pattern has an entry for it."""

    def taken(self, z: Array) -> Pattern:
        """Nothing is chosen."""
        return np.empty((len(z), 0), dtype=bool)

    def forward(self, z: Array, p: Pattern) -> Array:
        """The same."""
        return z

    def backward(self, G: Array, p: Pattern) -> Array:
        """The same."""
        return G

    def astype(self, dtype: DTypeLike) -> Self:
        """The same."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """Layers of weights (units, inputs) and biases (units,), the last one affine.

    There is an activation after each layer but the last.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activations: tuple[Activation, ...]

    @property
    def features(self) -> int:
        """d, the number of inputs."""
        return int(self.weights[0].shape[1])

    @property
    def outputs(self) -> int:
        """C, the number of outputs."""
        return len(self.biases[-1])

    @property
    def width(self) -> int:
        """Numbers in the widest layer."""
        return max(len(b) for b in self.biases)

    def astype(self, dtype: DTypeLike) -> Dense:
        """The same network in another float type."""
        return Dense(
            tuple(np.asarray(W, dtype) for W in self.weights),
            tuple(np.asarray(b, dtype) for b in self.biases),
            tuple(a.astype(dtype) for a in self.activations),
        )

    def run(self, X: Array) -> tuple[Array, list[Pattern]]:
        """Outputs (n, C) at the rows of X, and the pieces that each layer takes."""
        patterns = []
        z = self._affine(0, X)
        for layer, activation in enumerate(self.activations, start=1):
            patterns.append(activation.taken(z))
            z = self._affine(layer, activation.forward(z, patterns[-1]))
        return z, patterns

    def local(self, patterns: Sequence[Pattern], n: int) -> tuple[Array, Array]:
        """The affine functions, W (n, C, d) and b (n, C), that these pieces make up.

        Backwards from the outputs, since there are fewer of them than of inputs.
        """
        W = np.broadcast_to(self.weights[-1], (n, *self.weights[-1].shape))
        b = np.broadcast_to(self.biases[-1], (n, self.outputs))
        for layer in reversed(range(len(self.activations))):
            G = self.activations[layer].backward(W, patterns[layer])
            b = b + G @ self.biases[layer]
            W = G @ self.weights[layer]
        return W, b

    def _affine(self, layer: int, h: Array) -> Array:
        return h @ self.weights[layer].T + self.biases[layer]
