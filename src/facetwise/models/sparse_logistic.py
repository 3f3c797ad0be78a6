"""Multinomial logistic regression with an L1 penalty, on top of given logits.

Notation
--------
x_i, y_i, w_i    row (d,), class and weight; weights sum to n
o_i              logits that are there already (C,): the offset
m                weighted mean of the rows
W, b             weights (d, C) and intercepts (C,) that are added to the offset

    minimise    1/n Σ w_i [log Σ_c exp(z_ic) - z_i,y_i]  +  λ ‖W‖₁ (+ λ ‖b‖₁),
    z_i = o_i + W'(x_i - m) + b.

Every weight is split into a positive and a negative part, W = P - N with P, N >= 0.
The penalty becomes linear, and L-BFGS-B (Byrd et al. 1995) solves the smooth problem
that is left within its bounds, where parts, and so weights, are exactly zero.

It stops when no condition of optimality (Karush, Kuhn, Tucker) is missed by more than
tol·λ: with g the gradient of the loss, |g| <= λ where a weight is zero, and
g = -λ sign(W) elsewhere. Because the objective is convex, it is then at most
tol·λ·‖(W, b) - optimum‖₁ above its minimum. With tol < 1, no weight keeps both parts:
P needs g = -λ and N needs g = λ, both to within tol·λ.

Rows are centred because intercept and weights would otherwise pull at one another, and
the search would take many times as long. Where the intercept is free, that changes
nothing; where it is penalised, the penalty is on the logits of the mean row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from facetwise.core.messages import Floats, Ints

MEMORY = 10
"""Pairs of steps and gradients that L-BFGS-B remembers, as is common."""


@dataclass(frozen=True, slots=True)
class Linear:
    """An affine function of rows: logits X W + b."""

    W: Floats  # (d, C)
    b: Floats  # (C,)

    def __call__(self, X: Floats) -> Floats:
        """Logits (n, C) of the rows X (n, d)."""
        logits: Floats = X @ self.W
        logits += self.b
        return logits

    def __add__(self, other: Linear) -> Linear:
        return Linear(self.W + other.W, self.b + other.b)


@dataclass(frozen=True, slots=True)
class Fit:
    """What was found: how many steps it took, and the worst miss of a condition."""

    linear: Linear
    iterations: int
    violation: float  # in units of λ


@dataclass(frozen=True, slots=True)
class Problem:
    """The rows of a node, their classes and weights, and the logits they have."""

    X: Floats  # (n, d)
    y: Ints  # (n,)
    weights: Floats  # (n,)
    offset: Floats  # (n, C)

    def loss(self, linear: Linear) -> tuple[float, Floats]:
        """The mean loss, and its gradient by the logits of each row, (n, C)."""
        Z = linear(self.X)
        Z += self.offset
        Z -= logsumexp(Z, axis=1, keepdims=True)
        own = np.arange(len(self.y)), self.y
        shares = self.weights / self.weights.sum()
        loss = -float(shares @ Z[own])
        residual = np.exp(Z, out=Z)
        residual[own] -= 1.0
        residual *= shares[:, None]
        return loss, residual


def fit(
    problem: Problem,
    penalty: float,
    *,
    penalise_intercept: bool,
    tol: float,
    max_iter: int,
) -> Fit:
    """Solve the problem with λ = `penalty`, from weights of zero."""
    from scipy.optimize import Bounds, minimize

    d, C = problem.X.shape[1], problem.offset.shape[1]
    mean = problem.weights @ problem.X / problem.weights.sum()
    costs = np.full((d + 1, C), penalty)
    if not penalise_intercept:
        costs[d] = 0.0

    def joined(parts: Floats) -> Floats:
        positive, negative = parts.reshape(2, d + 1, C)
        return positive - negative

    def linear(V: Floats) -> Linear:
        return Linear(V[:d], V[d] - mean @ V[:d])

    def objective(parts: Floats) -> tuple[float, Floats]:
        loss, residual = problem.loss(linear(joined(parts)))
        g = np.empty((d + 1, C))
        g[d] = residual.sum(axis=0)
        g[:d] = problem.X.T @ residual - np.outer(mean, g[d])
        penalised = loss + float(costs.ravel() @ parts.reshape(2, -1).sum(axis=0))
        return penalised, np.concatenate([costs + g, costs - g]).ravel()

    zero = np.zeros(2 * costs.size)
    if (miss := missed(zero, objective(zero)[1])) <= tol * penalty:
        # So at most small nodes, where setting up the search would take longer.
        return Fit(linear(joined(zero)), 0, miss / penalty)
    found = minimize(
        objective,
        zero,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(0.0, np.inf),
        options={
            "gtol": tol * penalty,
            "ftol": 0.0,
            "maxiter": max_iter,
            "maxfun": 20 * max_iter,
            "maxcor": MEMORY,
        },
    )
    miss = missed(found.x, found.jac)
    return Fit(linear(sparsest(joined(found.x))), int(found.nit), miss / penalty)


def missed(parts: Floats, gradient: Floats) -> float:
    """The worst miss of a condition of optimality at parts that are at least 0."""
    return float(np.abs(np.maximum(parts - gradient, 0.0) - parts).max())


def sparsest(V: Floats) -> Floats:
    """The same classifier with a zero in each row (d, C) that has none.

    Adding a number to the weights of a feature in all classes changes no probability.
    Taking off the median, the lower one of two, makes their absolute sum as small as
    it can be. A solution has that already; but with as many weights below 0 as above
    and none at it, there are others as good, and this is the one with a zero.
    """
    median = np.sort(V, axis=1)[:, (V.shape[1] - 1) // 2]
    full = (V != 0.0).all(axis=1)
    return V - np.where(full, median, 0.0)[:, None]
