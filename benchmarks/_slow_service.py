"""A service that takes its time: a random network behind HTTP, in a process of its own.

Called with the number of features.
"""

from __future__ import annotations

import logging
import sys
import threading
import time

import numpy as np
from numpy.typing import NDArray

from facetwise.serve import Settings, serve

Array = NDArray[np.float64]

SECONDS_A_ROW = 1e-3
UNITS, CLASSES = 32, 10


class Slow:
    """A ReLU network that takes a millisecond a row, one call after the other."""

    def __init__(self, d: int) -> None:
        """Weights are the same each time."""
        rng = np.random.default_rng(d)
        self.n_features_in_ = d
        self._turn = threading.Lock()
        self._V = rng.standard_normal((d, UNITS)) / np.sqrt(d)
        self._W = rng.standard_normal((UNITS, CLASSES))

    def predict_proba(self, X: Array) -> Array:
        """Probabilities (n, C)."""
        with self._turn:
            time.sleep(len(X) * SECONDS_A_ROW)
        scores = np.exp(np.maximum(X @ self._V, 0.0) @ self._W)
        return scores / scores.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    # That calls wait for one another is what is wanted.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    with serve(Slow(int(sys.argv[1])), Settings(port=0)) as server:
        print(server.url, flush=True)
        sys.stdin.read()  # until whoever started it closes the pipe
