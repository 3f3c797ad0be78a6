"""Algorithm 1 of the paper (Cong et al., ICDE 2020), as published.

Sample d + 1 points uniformly in a hypercube around the instance. With the instance
they make d + 2 equations for d + 1 unknowns, for each pair of classes. If all these
systems have a solution, it is the answer; else halve the hypercube, and begin again.

Differences from the text, none of which it settles:

- "Has a solution" means that least squares leaves no residual above `TOLERANCE`.
- A system with an infinite logarithm (a score of 0) has no solution.
- Its answer carries no certificate here: `Status.UNVERIFIED`. A solution within a
  tolerance may be that of equations which mix regions, or which are all equal.

Notation
--------
A    equations' left sides, (1, x) a row              (d + 2, d + 1)
L    log-odds, the right sides                        (d + 2, K)
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np
from scipy import linalg

from facetwise.core.designs import uniform_cloud
from facetwise.core.inquiry import Inquiry
from facetwise.core.messages import Answers, Floats, Probes, Purpose
from facetwise.core.recovered import AGAINST_ALL, Local, Recovered, mean_of, nothing
from facetwise.core.status import Status
from facetwise.core.task import Task

FIRST_EDGE = 1.0
"""r in the text: the edge of the first hypercube, in raw units."""

MOST_ITERATIONS = 100
"""m in the text."""

TOLERANCE = 1e-10
"""The text names none; this is the one of the code that its authors released."""

Solver = Callable[[Floats, Floats], Floats]


def algorithm1(
    task: Task, scores: Floats, solver: Solver | None = None
) -> Generator[Probes, Answers, Recovered]:
    """Explain the task's instance as the paper does; its domain is not looked at."""
    solve = solver or solve_each_pair
    rng = np.random.default_rng(task.seed)
    inquiry = Inquiry(task.read, task.x, np.ones(len(task.x), dtype=bool))
    origin = inquiry.hear(scores[None])
    edge = FIRST_EDGE
    for _ in range(MOST_ITERATIONS):
        d = len(task.x)
        points = task.x + uniform_cloud(rng, d + 1, np.full(d, edge / 2))
        answers = yield from inquiry.ask(points, Purpose.DESIGN)
        inquiry.designs += 1
        A = np.hstack([np.ones((d + 2, 1)), np.vstack([task.x, points])])
        L = np.vstack([origin.l, answers.l])
        if np.isfinite(L).all():
            beta = solve(A, L)
            if np.abs(A @ beta - L).max() <= TOLERANCE:
                return _solved(inquiry, beta, edge)
        edge /= 2
    local = nothing(len(task.x), Status.NO_SOLUTION)
    return Recovered.of(inquiry, local, radius=edge)


def solve_each_pair(A: Floats, L: Floats) -> Floats:
    """Least squares for each class pair by itself, as the text has it."""
    return np.column_stack([linalg.lstsq(A, column)[0] for column in L.T])


def solve_all_pairs(A: Floats, L: Floats) -> Floats:
    """The same with one factorisation for all pairs."""
    beta: Floats = linalg.lstsq(A, L)[0]
    return beta


def _solved(inquiry: Inquiry, beta: Floats, edge: float) -> Recovered:
    """Core parameters (d + 1, K) as a record, without any bound."""
    read = inquiry.read
    rivals = read.rivals or (read.target,)
    unbounded = np.full(len(beta) - 1, np.nan)
    pairs = {
        rival: Local(D, float(B), np.nan, unbounded, np.nan, Status.UNVERIFIED)
        for rival, B, D in zip(rivals, beta[0], beta[1:].T, strict=True)
    }
    local = mean_of(list(pairs.values()), inquiry.x)
    contrast = read.contrast if len(pairs) == 1 else AGAINST_ALL
    return Recovered.of(inquiry, local, contrast, pairs, radius=edge / 2)
