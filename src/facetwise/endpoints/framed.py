"""Turns the engine's points into what a model takes, and holds its answers to shape.

It lies below all layers that keep or count, so that these see rows of numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from facetwise.core.messages import Floats
from facetwise.endpoints.endpoint import Endpoint
from facetwise.endpoints.layer import Layer
from facetwise.endpoints.local import as_scores


class Framed(Layer):
    """Sends `sent(points)`, such as a frame with the columns of the user's table."""

    def __init__(self, inner: Endpoint, sent: Callable[[Floats], Any]) -> None:
        super().__init__(inner)
        self._sent = sent

    def scores(self, X: Floats) -> Floats:
        """Scores (n, C) of points (n, d)."""
        return as_scores(self._inner.scores(self._sent(X)), len(X))
