"""What a run costs: the time spent in the model, and memory."""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from _harness import zoo
from numpy.typing import NDArray

import facetwise as fw

clock = time.thread_time
"""Processor seconds of this thread: what else runs on the machine does not count."""


@dataclass
class Timed:
    """A service, and the seconds spent in it."""

    service: zoo.Service
    seconds: float = 0.0

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Answer of the service."""
        started = clock()
        scores = self.service(X)
        self.seconds += clock() - started
        return scores


@dataclass(frozen=True)
class Told:
    """An explanation, and the seconds that it took inside and outside the model."""

    explanation: fw.Explanation
    inside: float
    outside: float


def explained(service: zoo.Service, X: NDArray[np.float64], **settings: Any) -> Told:
    """Explain X, and see where the time goes."""
    timed = Timed(service)
    started = clock()
    explanation = fw.Explainer(timed, progress=False, **settings)(X)
    return Told(explanation, timed.seconds, clock() - started - timed.seconds)


def peak() -> float:
    """The most memory that this process has had, in GiB."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (2**30 if sys.platform == "darwin" else 2**20)
