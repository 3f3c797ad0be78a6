"""What every layer around an endpoint has in common: it is known by what it wraps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.endpoints.endpoint import Endpoint


class Layer(ABC):
    """An endpoint around another one, `inner`, which is all that it knows."""

    def __init__(self, inner: Endpoint) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        """The name of what is wrapped."""
        return self._inner.name

    def implies(self, classes: int) -> Response | None:
        """What is known of the scores of what is wrapped."""
        return self._inner.implies(classes)

    @abstractmethod
    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of the rows X."""
