"""Models whose truth is known, services around them, and what broke naive versions.

A *piece* is one affine function ``W x + b`` of a piecewise linear model; a *pattern*
names the piece that holds at a point (which neurons are on, which leaf is reached).
Data are standard normal, and every random model has its boundaries among them.
"""

from __future__ import annotations

import functools
import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Array = NDArray[np.float64]
Patterns = NDArray[np.int64]
Piece = tuple[Array, Array]
Rng = np.random.Generator
Service = Callable[[Array], Array]


class Model(ABC):
    """What a service needs of a model."""

    @property
    @abstractmethod
    def _shape(self) -> tuple[int, int]:
        """Numbers of outputs and of features."""

    @property
    def d(self) -> int:
        """Number of features."""
        return self._shape[1]

    @property
    def C(self) -> int:
        """Number of outputs."""
        return self._shape[0]

    @abstractmethod
    def logits(self, X: Array) -> Array:
        """Outputs (n, C) at the rows of X (n, d)."""


# --- Models with white-box truth ---------------------------------------------------


class PiecewiseLinear(Model):
    """A model made of affine pieces, each of which can be read off."""

    @abstractmethod
    def patterns(self, X: Array) -> Patterns:
        """Names (n, k) of the pieces that hold at the rows of X."""

    @abstractmethod
    def piece(self, pattern: Patterns) -> Piece:
        """Weights (C, d) and intercepts (C,) of the piece of that name."""

    def local(self, x: Array) -> Piece:
        """Weights and intercepts of the piece that holds at x."""
        return self.piece(self.patterns(x[None])[0])

    def values(self, x: Array, patterns: Patterns) -> Array:
        """What each of these pieces gives at x, (k, C), whether it holds there or not.

        Made the way `logits` is made where that is possible: the same rounding.
        """
        return np.array([W @ x + b for W, b in map(self.piece, patterns)])

    def beside(self, x: Array, radius: Array) -> Patterns:
        """Patterns that random points within the radius of x are likely to miss."""
        return self.patterns(x[None])

    def normal(self, here: Patterns, there: Patterns) -> Array:
        """Unit normal of the boundary between two neighbouring pieces.

        Where the model is continuous the two pieces agree on the boundary, so that
        each row of their difference is a multiple of the normal.
        """
        jump = self.piece(here)[0] - self.piece(there)[0]
        return np.linalg.svd(jump, full_matrices=False)[2][0]


@dataclass(frozen=True, eq=False)
class Linear(PiecewiseLinear):
    """One affine function everywhere."""

    W: Array
    b: Array

    @property
    def _shape(self) -> tuple[int, int]:
        return self.W.shape

    def logits(self, X: Array) -> Array:
        """Outputs at the rows of X."""
        return X @ self.W.T + self.b

    def patterns(self, X: Array) -> Patterns:
        """There is but one piece."""
        return np.zeros((len(X), 1), dtype=int)

    def piece(self, pattern: Patterns) -> Piece:
        """Weights and intercepts."""
        return self.W, self.b


class _Layered(PiecewiseLinear):
    """Layers of units, each of which takes the largest of a few affine branches.

    The last layer is affine. A pattern lists the branch that each hidden unit takes.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    @abstractmethod
    def _branches(self, layer: int, h: Array) -> Array:
        """Values (k, n, units) of all branches of a hidden layer."""

    @abstractmethod
    def _taken(self, layer: int, branch: Patterns) -> Piece:
        """Weights (units, inputs) and biases (units,) of the branches taken."""

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.biases[-1]), self.weights[0].shape[-1]

    @property
    def _ends(self) -> list[int]:
        """Where one layer's part of a pattern ends and the next one's begins."""
        return list(np.cumsum([b.shape[-1] for b in self.biases[:-1]]))[:-1]

    def _run(self, X: Array, forced: Patterns | None = None) -> tuple[Array, list]:
        """Outputs, and the branches seen; units obey a forced pattern, if any."""
        h, seen = X, []
        parts = None if forced is None else np.split(forced, self._ends, axis=1)
        for layer in range(len(self.weights) - 1):
            branches = self._branches(layer, h)
            seen.append(branches)
            if parts is None:
                h = branches.max(axis=0)
            else:
                h = np.take_along_axis(branches, parts[layer][None], axis=0)[0]
        return h @ self.weights[-1].T + self.biases[-1], seen

    def logits(self, X: Array) -> Array:
        """Outputs at the rows of X."""
        return self._run(X)[0]

    def patterns(self, X: Array) -> Patterns:
        """Branch taken by each hidden unit; the first one in a tie."""
        return np.hstack([branches.argmax(axis=0) for branches in self._run(X)[1]])

    def piece(self, pattern: Patterns) -> Piece:
        """Product of the layers, from the last to the first: C rows all the way."""
        W, b = self.weights[-1], self.biases[-1]
        parts = np.split(pattern, self._ends)
        for layer in reversed(range(len(parts))):
            V, v = self._taken(layer, parts[layer])
            W, b = W @ V, b + W @ v
        return W, b

    def values(self, x: Array, patterns: Patterns) -> Array:
        """One pass with the branches forced, for all patterns together."""
        return self._run(np.tile(x, (len(patterns), 1)), patterns)[0]

    def beside(self, x: Array, radius: Array) -> Patterns:
        """All combinations of first and second branch in the units nearest to a tie."""
        branches = np.concatenate(self._run(x[None])[1], axis=2)[:, 0]
        order = np.argsort(-branches, axis=0, kind="stable")
        first, second = np.take_along_axis(branches, order[:2], axis=0)
        return _combinations(order[0], order[1], first - second)


def _combinations(
    own: Patterns, other: Patterns, gap: Array, most: int = 6
) -> Patterns:
    """Own pattern with the entries of smallest gap exchanged in every combination.

    A combination that no point realises does no harm: no wrong answer hits its
    weights by chance.
    """
    close = np.argsort(gap)[:most]
    swap = np.array(list(itertools.product([False, True], repeat=len(close))))
    patterns = np.tile(own, (len(swap), 1))
    patterns[:, close] = np.where(swap, other[close], own[close])
    return patterns


@dataclass(frozen=True, eq=False)
class Dense(_Layered):
    """Fully connected network: ReLU, or leaky ReLU when the slope is above 0.

    `weights` are (units, inputs) for each layer, `biases` are (units,).
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    slope: float = 0.0

    def _branches(self, layer: int, h: Array) -> Array:
        z = h @ self.weights[layer].T + self.biases[layer]
        return np.stack([self.slope * z, z])

    def _taken(self, layer: int, branch: Patterns) -> Piece:
        gain = np.where(branch, 1.0, self.slope)
        return gain[:, None] * self.weights[layer], gain * self.biases[layer]


@dataclass(frozen=True, eq=False)
class MaxOut(_Layered):
    """Network whose hidden units take the largest of k affine functions.

    Hidden `weights` are (k, units, inputs) and `biases` (k, units); the last layer's
    are (C, inputs) and (C,).
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]

    def _branches(self, layer: int, h: Array) -> Array:
        return h @ self.weights[layer].swapaxes(1, 2) + self.biases[layer][:, None]

    def _taken(self, layer: int, branch: Patterns) -> Piece:
        units = np.arange(len(branch))
        return self.weights[layer][branch, units], self.biases[layer][branch, units]


@dataclass(frozen=True, eq=False)
class LeafModels(PiecewiseLinear):
    """Full binary tree with a linear model in each leaf; jumps from leaf to leaf.

    Node i has the children 2i + 1 and, where the feature is above its threshold,
    2i + 2. `W` is (leaves, C, d), `b` is (leaves, C).
    """

    features: NDArray[np.int64]
    thresholds: Array
    W: Array
    b: Array

    @property
    def _shape(self) -> tuple[int, int]:
        return self.W.shape[1:]

    @property
    def _depth(self) -> int:
        return len(self.W).bit_length() - 1

    def logits(self, X: Array) -> Array:
        """Outputs at the rows of X, leaf by leaf."""
        leaves, out = self.patterns(X)[:, 0], np.empty((len(X), self.C))
        for leaf in np.unique(leaves):
            rows = leaves == leaf
            out[rows] = X[rows] @ self.W[leaf].T + self.b[leaf]
        return out

    def patterns(self, X: Array) -> Patterns:
        """Leaf that each row reaches."""
        node, rows = np.zeros(len(X), dtype=int), np.arange(len(X))
        for _ in range(self._depth):
            above = X[rows, self.features[node]] > self.thresholds[node]
            node = 2 * node + 1 + above
        return (node - len(self.features))[:, None]

    def piece(self, pattern: Patterns) -> Piece:
        """The leaf's linear model."""
        return self.W[pattern[0]], self.b[pattern[0]]

    def beside(self, x: Array, radius: Array) -> Patterns:
        """All leaves that reach into the box, however thin the part inside."""
        nodes = [0]
        for _ in range(self._depth):
            reached = []
            for i in nodes:
                j, t = self.features[i], self.thresholds[i]
                reached += [2 * i + 1] * bool(x[j] - radius[j] <= t)
                reached += [2 * i + 2] * bool(x[j] + radius[j] > t)
            nodes = reached
        return np.array(nodes)[:, None] - len(self.features)

    def normal(self, here: Patterns, there: Patterns) -> Array:
        """Axis on which the last common ancestor of the two leaves splits."""
        i, j = (int(leaf[0]) + len(self.features) for leaf in (here, there))
        while i != j:
            i, j = (i - 1) // 2, (j - 1) // 2
        return np.eye(1, self.d, self.features[i])[0]


@dataclass(frozen=True, eq=False)
class PiecewiseConstant(PiecewiseLinear):
    """Boosted stumps: all weights are exactly zero."""

    features: NDArray[np.int64]
    thresholds: Array
    steps: Array
    inputs: int

    @property
    def _shape(self) -> tuple[int, int]:
        return self.steps.shape[1], self.inputs

    def logits(self, X: Array) -> Array:
        """Sum of the steps that a row is above."""
        return self.patterns(X) @ self.steps

    def patterns(self, X: Array) -> Patterns:
        """The stumps that a row is above."""
        return (X[:, self.features] > self.thresholds).astype(int)

    def piece(self, pattern: Patterns) -> Piece:
        """No weights, and the sum of steps."""
        return np.zeros((self.C, self.d)), pattern @ self.steps

    def beside(self, x: Array, radius: Array) -> Patterns:
        """All combinations of the stumps nearest to x."""
        own = self.patterns(x[None])[0]
        gap = np.abs(x[self.features] - self.thresholds)
        return _combinations(own, 1 - own, gap)

    def normal(self, here: Patterns, there: Patterns) -> Array:
        """Axis of the stump that changes."""
        return np.eye(1, self.d, self.features[np.argmax(here != there)])[0]


@dataclass(frozen=True, eq=False)
class Slab(PiecewiseLinear):
    """A linear model, and other ones in the two halves of a slab through it.

    A point is in the slab where ``|axis·x - offset| < width / 2``. `step` and `tent`
    make the discontinuous and the continuous kind.
    """

    pieces: tuple[Linear, Linear, Linear]
    axis: Array
    offset: float
    width: float

    @classmethod
    def step(
        cls, base: Linear, axis: Array, offset: float, width: float, other: Linear
    ) -> Slab:
        """Slab in which another affine function holds; jumps at its two faces."""
        return cls((base, other, other), axis, offset, width)

    @classmethod
    def tent(
        cls, base: Linear, axis: Array, offset: float, width: float, slopes: Array
    ) -> Slab:
        """Slab with a tent on top: rises by `slopes` (C,) to the middle, then falls."""
        rise = Linear(
            base.W + np.outer(slopes, axis), base.b + slopes * (width / 2 - offset)
        )
        fall = Linear(
            base.W - np.outer(slopes, axis), base.b + slopes * (width / 2 + offset)
        )
        return cls((base, rise, fall), axis, offset, width)

    @property
    def _shape(self) -> tuple[int, int]:
        return self.pieces[0]._shape

    def logits(self, X: Array) -> Array:
        """Outputs at the rows of X."""
        each = np.stack([piece.logits(X) for piece in self.pieces])
        return np.take_along_axis(each, self.patterns(X)[None], axis=0)[0]

    def patterns(self, X: Array) -> Patterns:
        """0 outside, 1 and 2 in the lower and upper half of the slab."""
        s = X @ self.axis - self.offset
        return np.where(np.abs(s) < self.width / 2, 1 + (s > 0), 0)[:, None]

    def piece(self, pattern: Patterns) -> Piece:
        """Weights and intercepts of one of the three pieces."""
        chosen = self.pieces[pattern[0]]
        return chosen.W, chosen.b

    def beside(self, x: Array, radius: Array) -> Patterns:
        """All three: a slab may be too thin for any random point."""
        return np.arange(3)[:, None]

    def normal(self, here: Patterns, there: Patterns) -> Array:
        """The slab's axis."""
        return self.axis


def through(W: Array, x: Array, value: Array) -> Linear:
    """Affine function with weights W that takes the given value at x."""
    return Linear(W, value - W @ x)


# --- Smooth models -----------------------------------------------------------------


ACTIVATIONS: dict[str, tuple[Service, Service]] = {
    "tanh": (np.tanh, lambda z: 1 / np.cosh(np.clip(z, -300, 300)) ** 2),
    "gelu": (
        lambda z: z * special.ndtr(z),
        lambda z: special.ndtr(z) + z * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi),
    ),
    "softplus": (lambda z: np.logaddexp(0, z), special.expit),
}
"""Name of an activation -> the function and its derivative."""


@dataclass(frozen=True, eq=False)
class SmoothNetwork(Model):
    """Fully connected network with a smooth activation, one of `ACTIVATIONS`."""

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activation: str

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.biases[-1]), self.weights[0].shape[1]

    def _run(self, X: Array) -> tuple[Array, list[Array]]:
        """Outputs, and the inputs of each layer's activation."""
        h, seen = X, []
        for W, b in zip(self.weights[:-1], self.biases[:-1], strict=True):
            seen.append(h @ W.T + b)
            h = ACTIVATIONS[self.activation][0](seen[-1])
        return h @ self.weights[-1].T + self.biases[-1], seen

    def logits(self, X: Array) -> Array:
        """Outputs at the rows of X."""
        return self._run(X)[0]

    def gradient(self, x: Array) -> Array:
        """Gradients (C, d) of the outputs at x."""
        A = self.weights[-1]
        seen = self._run(x[None])[1]
        for W, (z,) in zip(reversed(self.weights[:-1]), reversed(seen), strict=True):
            A = (A * ACTIVATIONS[self.activation][1](z)) @ W
        return A


@dataclass(frozen=True, eq=False)
class Kernel(Model):
    """Sum of Gaussian bumps: an RBF network, or the mean of a Gaussian process."""

    centres: Array
    coefficients: Array
    length: float

    @property
    def _shape(self) -> tuple[int, int]:
        return self.coefficients.shape[1], self.centres.shape[1]

    def _bumps(self, X: Array) -> Array:
        squares = ((X[:, None] - self.centres) ** 2).sum(axis=2)
        return np.exp(-squares / (2 * self.length**2))

    def logits(self, X: Array) -> Array:
        """Outputs at the rows of X, some rows at a time to save memory."""
        chunks = np.array_split(X, 1 + X.size // 100_000)
        return np.vstack([self._bumps(chunk) @ self.coefficients for chunk in chunks])

    def gradient(self, x: Array) -> Array:
        """Gradients (C, d) of the outputs at x."""
        bumps = self._bumps(x[None])[0]
        return (self.coefficients.T * bumps) @ (self.centres - x) / self.length**2


# --- Random makers -----------------------------------------------------------------


def _random_layers(
    rng: Rng, sizes: Sequence[int], branches: int, activate: Service, bias: bool
) -> tuple[list[Array], list[Array]]:
    """He weights (k, units, inputs), and biases (k, units) that use all units.

    Each hidden unit's boundary passes through some data point, and the outputs are
    zero on average.
    """
    h, weights, biases = rng.standard_normal((64, sizes[0])), [], []
    for inputs, units in itertools.pairwise(sizes):
        last = len(weights) == len(sizes) - 2
        k = 1 if last else branches
        W = rng.standard_normal((k, units, inputs)) * np.sqrt(2 / inputs)
        z = h @ W.swapaxes(1, 2)
        anchors = z[:, rng.integers(len(h), size=units), np.arange(units)]
        b = -(z.mean(axis=1) if last else anchors) * bias
        h = activate(z + b[:, None])
        weights.append(W)
        biases.append(b)
    return weights, biases


def random_linear(rng: Rng, d: int, C: int) -> Linear:
    """Linear model with outputs of about unit size."""
    return Linear(rng.standard_normal((C, d)) / np.sqrt(d), rng.standard_normal(C) / 3)


def random_network(
    rng: Rng,
    d: int,
    C: int,
    layers: int,
    width: int,
    slope: float = 0.0,
    bias: bool = True,
) -> Dense:
    """ReLU or leaky ReLU network with that many hidden layers, with or without bias."""
    weights, biases = _random_layers(
        rng,
        [d, *[width] * layers, C],
        1,
        lambda z: np.maximum(z[0], slope * z[0]),
        bias,
    )
    return Dense(tuple(W[0] for W in weights), tuple(b[0] for b in biases), slope)


def random_maxout(
    rng: Rng, d: int, C: int, layers: int, width: int, pieces: int = 2
) -> MaxOut:
    """MaxOut network with that many hidden layers, and pieces for each unit."""
    weights, biases = _random_layers(
        rng, [d, *[width] * layers, C], pieces, lambda z: z.max(axis=0), True
    )
    return MaxOut((*weights[:-1], weights[-1][0]), (*biases[:-1], biases[-1][0]))


def random_leaf_models(
    rng: Rng, d: int, C: int, depth: int, zeros: float = 0.0
) -> LeafModels:
    """Tree of linear models; that share of the weights is exactly zero."""
    leaves = 2**depth
    W = rng.standard_normal((leaves, C, d)) / np.sqrt(d)
    W[rng.random(W.shape) < zeros] = 0.0
    return LeafModels(
        rng.integers(d, size=leaves - 1),
        rng.standard_normal(leaves - 1) / 2,
        W,
        rng.standard_normal((leaves, C)) / 3,
    )


def random_stumps(rng: Rng, d: int, C: int, stumps: int = 50) -> PiecewiseConstant:
    """Boosted stumps with constant scores."""
    return PiecewiseConstant(
        rng.integers(d, size=stumps),
        rng.standard_normal(stumps),
        rng.standard_normal((stumps, C)) / np.sqrt(stumps),
        d,
    )


def random_smooth(
    rng: Rng, d: int, C: int, layers: int, width: int, activation: str
) -> SmoothNetwork:
    """Network with a smooth activation."""
    f = ACTIVATIONS[activation][0]
    weights, biases = _random_layers(
        rng, [d, *[width] * layers, C], 1, lambda z: f(z[0]), True
    )
    return SmoothNetwork(
        tuple(W[0] for W in weights), tuple(b[0] for b in biases), activation
    )


def random_rbf(rng: Rng, d: int, C: int, centres: int = 30) -> Kernel:
    """RBF network with random coefficients."""
    return Kernel(
        rng.standard_normal((centres, d)), rng.standard_normal((centres, C)), np.sqrt(d)
    )


def random_gaussian_process(rng: Rng, d: int, C: int, points: int = 30) -> Kernel:
    """Mean of a Gaussian process after some random observations with little noise."""
    prior = random_rbf(rng, d, C, points)
    K = prior._bumps(prior.centres) + 1e-2 * np.eye(points)
    return replace(prior, coefficients=np.linalg.solve(K, prior.coefficients))


# --- Services: a callable from rows to scores ---------------------------------------


def logits(model: Model) -> Service:
    """Raw outputs (n, C)."""
    return model.logits


def probabilities(model: Model) -> Service:
    """Softmax of the outputs."""
    return lambda X: special.softmax(model.logits(X), axis=1)


def log_probabilities(model: Model) -> Service:
    """Logarithms of the softmax."""
    return lambda X: special.log_softmax(model.logits(X), axis=1)


def binary(model: Model) -> Service:
    """One number (n,): the probability of class 1 of a model with two classes."""
    return lambda X: special.expit(model.logits(X) @ np.array([-1.0, 1.0]))


def sigmoid(model: Model) -> Service:
    """Independent labels: a probability for each output by itself."""
    return lambda X: special.expit(model.logits(X))


def regression(model: Model) -> Service:
    """Outputs themselves, (n,) where there is one."""
    return lambda X: model.logits(X)[:, 0] if model.C == 1 else model.logits(X)


def cast_inputs(f: Service) -> Service:
    """Casts inputs to 32-bit and back."""
    return lambda X: f(X.astype(np.float32).astype(np.float64))


def round_inputs(f: Service, decimals: int) -> Service:
    """Rounds inputs to decimals."""
    return lambda X: f(np.round(X, decimals))


def clip(f: Service, eps: float) -> Service:
    """Clips scores to [eps, 1 - eps], so that rows no longer sum to 1."""
    return lambda X: np.clip(f(X), eps, 1 - eps)


def float32_answers(f: Service, widen: bool = False) -> Service:
    """Answers in 32-bit; widened, the dtype no longer tells but the digits do."""
    dtype = np.float64 if widen else np.float32
    return lambda X: f(X).astype(np.float32).astype(dtype)


def round_answers(f: Service, decimals: int) -> Service:
    """Rounds scores to decimals."""
    return lambda X: np.round(f(X), decimals)


def noisy(f: Service, rng: Rng, scale: float) -> Service:
    """Multiplies each score by a random number near 1: log-odds move by `scale`."""

    def service(X: Array) -> Array:
        scores = f(X)
        return scores * np.exp(scale * rng.standard_normal(scores.shape))

    return service


class Counting:
    """Counts the rows and calls that a service was asked, from any thread."""

    def __init__(self, f: Service) -> None:
        """Count what `f` is asked."""
        self.f = f
        self.rows = 0
        self.calls = 0
        self._lock = threading.Lock()

    def __call__(self, X: Array) -> Array:
        """Answer of the service."""
        with self._lock:
            self.rows += len(X)
            self.calls += 1
        return self.f(X)


def changing(f: Service, g: Service, after: int) -> Service:
    """Becomes g once f was asked that many rows."""
    first = Counting(f)
    return lambda X: first(X) if first.rows < after else g(X)


def raising(f: Service, after: int) -> Service:
    """Breaks down for good once it was asked that many rows."""

    def broken(X: Array) -> Array:
        raise RuntimeError("the model broke down")

    return changing(f, broken, after)


def nan_near(f: Service, x: Array, distance: float) -> Service:
    """Answers NaN within that Euclidean distance of x."""

    def service(X: Array) -> Array:
        scores = np.array(f(X), dtype=float)
        scores[np.linalg.norm(X - x, axis=1) <= distance] = np.nan
        return scores

    return service


# --- Instances ----------------------------------------------------------------------


def random_instance(model: Model, rng: Rng) -> Array:
    """An instance where the data are."""
    return rng.standard_normal(model.d)


def near_boundary(
    model: PiecewiseLinear, rng: Rng, distance: float, attempts: int = 1000
) -> Array:
    """An instance at that distance of a boundary where the affine function changes.

    At 0 it is as exactly on the boundary as floating point allows. Another boundary
    may be nearer.
    """
    for _ in range(attempts):
        start, end = random_instance(model, rng), random_instance(model, rng)
        here, there = model.patterns(np.stack([start, end]))
        near, far = start, end
        for _ in range(200):
            middle = near / 2 + far / 2
            if np.array_equal(middle, near) or np.array_equal(middle, far):
                break
            pattern = model.patterns(middle[None])[0]
            if np.array_equal(pattern, here):
                near = middle
            else:
                far, there = middle, pattern
        pieces = model.piece(here), model.piece(there)
        # Some boundaries are of no consequence: nothing downstream looks at them.
        if all(np.allclose(p, q) for p, q in zip(*pieces, strict=True)):
            continue
        normal = model.normal(here, there)
        normal = normal * np.sign(normal @ (start - end))
        x = near + distance * normal
        # A tiny step spread over many features is lost in their last digits; what
        # is missing goes into the one feature that matters most.
        j = np.argmax(np.abs(normal))
        x[j] += (distance - normal @ (x - near)) / normal[j]
        return x
    raise ValueError("this model has no boundary among the data")


def with_boundary(network: Dense, x: Array, distance: float, unit: int = 0) -> Dense:
    """The network with a first-layer boundary moved to that distance of x."""
    w, b = network.weights[0][unit], network.biases[0].copy()
    b[unit] = distance * np.linalg.norm(w) - w @ x
    return replace(network, biases=(b, *network.biases[1:]))


# --- Truth --------------------------------------------------------------------------


def truths(
    model: PiecewiseLinear,
    x: Array,
    meets: ArrayLike,
    radius: ArrayLike,
    rng: Rng,
    reference: int | None = 0,
    points: int = 128,
) -> list[Piece]:
    """Pieces found near x whose affine function meets the model at x.

    It meets when every log-odds against class `reference` is within `meets` (a number
    or C - 1 of them); with `reference=None` outputs count by themselves (C of them).
    `radius` is the half-width of the box searched, also feature by feature: points
    are drawn in the box and in ever smaller ones down to rounding, and `beside` adds
    what they may miss. The piece that holds at x comes first.
    """
    radius = np.broadcast_to(np.asarray(radius, dtype=float), x.shape)
    smallest = 1e-16 * max(1.0, np.abs(x).max()) / radius.max(initial=1e-300)
    shrink = np.repeat(np.geomspace(min(smallest, 1.0), 1.0, 32), 1 + points // 32)
    shrink = np.append(shrink, np.ones(points))
    X = x + shrink[:, None] * radius * rng.uniform(-1, 1, (len(shrink), len(x)))
    near = [model.patterns(x[None]), model.patterns(X), model.beside(x, radius)]
    patterns = np.array(list({p.tobytes(): p for p in np.vstack(near)}.values()))
    miss = model.values(x, patterns) - model.logits(x[None])
    if reference is not None:
        miss = np.delete(miss - miss[:, [reference]], reference, axis=1)
    found = (np.abs(miss) <= meets).all(axis=1)
    found[0] = True
    pieces = map(model.piece, patterns[found])
    return list({W.tobytes() + b.tobytes(): (W, b) for W, b in pieces}.values())


def contrast(W: Array, target: int, rival: int | None = None) -> Array:
    """Weights of the target against a rival, or against the mean of all others.

    A target that is its own rival, or that has none, stands by itself.
    """
    if rival == target or len(W) == 1:
        return W[target]
    if rival is None:
        return W[target] - np.delete(W, target, axis=0).mean(axis=0)
    return W[target] - W[rival]


def error(
    D_hat: Array,
    truths: Sequence[Piece],
    target: int,
    rival: int | None = None,
    scale: ArrayLike = 1.0,
) -> float:
    """Distance, in scaled units, of the reported weights to the nearest truth."""
    return min(
        float(np.linalg.norm(scale * (D_hat - contrast(W, target, rival))))
        for W, _ in truths
    )


# --- Counterexamples: what broke naive versions -------------------------------------


class Counterexample(NamedTuple):
    """A service, the instance to explain, the model inside, and why it is hard."""

    service: Service
    x: Array
    model: Model
    reason: str


Parts = tuple[Service, Array, Model]

COUNTEREXAMPLES: list[Callable[..., Counterexample]] = []
"""All that follow; each takes a seed."""


def counterexample(make: Callable[[Rng], Parts]) -> Callable[..., Counterexample]:
    """List a counterexample, made from a seed, with its docstring for the reason."""

    @functools.wraps(make)
    def named(seed: int = 0) -> Counterexample:
        return Counterexample(*make(np.random.default_rng(seed)), str(make.__doc__))

    COUNTEREXAMPLES.append(named)
    return named


@counterexample
def constant_that_solves(rng: Rng) -> Parts:
    """In a small enough box all scores are equal, and weights of zero solve that."""
    x = rng.standard_normal(5)
    network = with_boundary(random_network(rng, 5, 3, 1, 16), x, 1e-5)
    return round_answers(probabilities(network), 4), x, network


@counterexample
def boundary_crossed_by_little(rng: Rng) -> Parts:
    """Probes 1e-9 away mix two regions and still agree to a tolerance of 1e-8."""
    x = rng.standard_normal(10)
    network = with_boundary(random_network(rng, 10, 3, 1, 16), x, 1e-10)
    return probabilities(network), x, network


@counterexample
def exactly_on_boundary(rng: Rng) -> Parts:
    """No box around x lies in one region: two answers are right, mixtures wrong."""
    x = rng.standard_normal(10)
    network = with_boundary(random_network(rng, 10, 3, 1, 16), x, 0.0)
    return probabilities(network), x, network


@counterexample
def inputs_cast_to_32_bit(rng: Rng) -> Parts:
    """In the tiny box allowed only zeros move: the rest seems to have no weight."""
    x = rng.standard_normal(8).astype(np.float32).astype(np.float64)
    x[::2] = 0.0
    network = with_boundary(random_network(rng, 8, 3, 1, 16), x, 1e-9)
    return cast_inputs(probabilities(network)), x, network


@counterexample
def rounded_inputs(rng: Rng) -> Parts:
    """All probes in the box that a boundary allows are one question after rounding."""
    x = np.round(rng.standard_normal(8), 2)
    network = with_boundary(random_network(rng, 8, 3, 1, 16), x, 1e-4)
    return round_inputs(probabilities(network), 2), x, network


@counterexample
def clipped_scores(rng: Rng) -> Parts:
    """One class is below the clip all around x and seems to have no weights at all."""
    model = random_linear(rng, 6, 3)
    model = replace(model, b=model.b - np.array([0.0, 0.0, 30.0]))
    return clip(probabilities(model), 1e-6), random_instance(model, rng), model


@counterexample
def one_hot_scores(rng: Rng) -> Parts:
    """Scores are exactly 0 and 1: constant although the weights are large."""
    model = random_linear(rng, 6, 3)
    model = Linear(1e5 * model.W, 1e5 * model.b)
    return probabilities(model), random_instance(model, rng), model


def _hinge(rng: Rng, sharpness: float, distance: float) -> tuple[SmoothNetwork, Array]:
    """A smooth hinge on a linear slope, and an instance at a distance from the bend."""
    base, x = random_linear(rng, 6, 3), rng.standard_normal(6)
    axis = rng.standard_normal(6)
    axis *= sharpness / np.linalg.norm(axis)
    # softplus(z) - softplus(-z) = z makes the linear part, class by class.
    W = np.vstack([base.W, -base.W, axis])
    b = np.hstack([base.b, -base.b, -axis @ x - sharpness * distance])
    jump = 3 * rng.standard_normal((3, 1)) / sharpness
    last = np.hstack([np.eye(3), -np.eye(3), jump])
    return SmoothNetwork((W, last), (b, np.zeros(3)), "softplus"), x


@counterexample
def smooth_steep_far_away(rng: Rng) -> Parts:
    """Curvature dies out much faster than r squared, as it does at a boundary."""
    model, x = _hinge(rng, 20.0, 1.0)
    return probabilities(model), x, model


@counterexample
def smooth_like_a_boundary(rng: Rng) -> Parts:
    """The bend that x lies in is 1e-6 wide; only from within is it no boundary."""
    model, x = _hinge(rng, 1e6, 0.0)
    return probabilities(model), x, model


def _slab_parts(rng: Rng) -> tuple[Linear, Linear, Array, Array]:
    """Two linear models, a unit axis and an instance."""
    base, other, axis = (
        random_linear(rng, 6, 3),
        random_linear(rng, 6, 3),
        rng.random(6),
    )
    return base, other, axis / np.linalg.norm(axis), random_instance(base, rng)


@counterexample
def thin_slab(rng: Rng) -> Parts:
    """Probes agree with one another, but not with x, alone in a slab 1e-12 wide."""
    base, other, axis, x = _slab_parts(rng)
    model = Slab.step(base, axis, axis @ x, 1e-12, other)
    return probabilities(model), x, model


@counterexample
def thin_tent(rng: Rng) -> Parts:
    """x is on a continuous ridge, 1e-6 wide, and its surroundings are not."""
    base, _, axis, x = _slab_parts(rng)
    slopes = 1e3 * rng.standard_normal(3)
    model = Slab.tent(base, axis, axis @ x + 2e-7, 1e-6, slopes)
    return probabilities(model), x, model


@counterexample
def slab_beside(rng: Rng) -> Parts:
    """A thin slab is close to x, and few probes fall into it, or none."""
    base, other, axis, x = _slab_parts(rng)
    model = Slab.step(base, axis, axis @ x + 1e-3, 1e-5, other)
    return probabilities(model), x, model


@counterexample
def piece_through_own_value(rng: Rng) -> Parts:
    """All around x another affine function holds, and at x it has x's own value."""
    base, other, axis, x = _slab_parts(rng)
    own = through(other.W, x, base.logits(x[None])[0])
    model = Slab.step(base, axis, axis @ x, 1e-9, own)
    return probabilities(model), x, model


@counterexample
def flat_and_not(rng: Rng) -> Parts:
    """All weights are zero at x, and not zero across a boundary close by."""
    x, w, v = rng.standard_normal(6), rng.standard_normal((1, 6)), rng.random((3, 1))
    unit = with_boundary(Dense((w, v), (np.zeros(1), np.zeros(3))), x, -1e-5)
    return probabilities(unit), x, unit


@counterexample
def scales_side_by_side(rng: Rng) -> Parts:
    """Features of sizes 1e-6 and 1e6: no one radius in raw units suits both."""
    network, size = random_network(rng, 6, 3, 2, 16), np.repeat([1e-6, 1e6], 3)
    x = size * random_instance(network, rng)
    first, *others = network.weights
    network = replace(network, weights=(first / size, *others))
    return probabilities(network), x, network
