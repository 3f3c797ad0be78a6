"""Services that are made up: they count, and fail as they are told to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from facetwise.core.messages import Floats

Scores = Callable[[Floats], Floats]


def network(seed: int, d: int = 4, classes: int = 3, width: int = 8) -> Scores:
    """Probabilities of a leaky network, every bit of which depends on the row alone."""
    rng = np.random.default_rng(seed)
    V, W = rng.standard_normal((width, d)), rng.standard_normal((classes, width))

    def scores(X: Floats) -> Floats:
        # Sums along rows: a matrix product may round a row differently in a batch.
        h = np.stack([(X * v).sum(axis=1) for v in V], axis=1)
        h = np.maximum(h, 0.1 * h)
        z = np.stack([(h * w).sum(axis=1) for w in W], axis=1)
        y = np.exp(z - z.max(axis=1, keepdims=True))
        probabilities: Floats = y / y.sum(axis=1, keepdims=True)
        return probabilities

    return scores


class Fake:
    """An endpoint that notes every call, and answers with `answer`, or as it does."""

    def __init__(self, answer: Scores, name: str = "fake") -> None:
        """No call yet."""
        self._answer = answer
        self.name = name
        self.batches: list[Floats] = []
        self._lock = threading.Lock()

    @property
    def rows(self) -> int:
        """Rows asked."""
        return sum(len(batch) for batch in self.batches)

    @property
    def calls(self) -> int:
        """Calls made."""
        return len(self.batches)

    def implies(self, classes: int) -> None:
        """Nothing is known of the scores."""

    def scores(self, X: Any) -> Floats:
        """Note the call, and answer."""
        with self._lock:
            self.batches.append(np.array(X))
        return self._answer(X)


class Retrying(Fake):
    """Sends each question twice: the first time it always finds the service busy."""

    def __init__(self, answer: Scores, name: str = "fake") -> None:
        """Nobody is told yet."""
        super().__init__(answer, name)
        self.spend: Callable[[int], None] = lambda rows: None
        self.busy: Callable[[], None] = lambda: None
        self.sleep: Callable[[float], None] = lambda seconds: None

    def scores(self, X: Any) -> Floats:
        """Answer at the second attempt."""
        self.spend(len(X))
        self.busy()
        self.sleep(0.0)
        self.spend(len(X))
        return super().scores(X)
