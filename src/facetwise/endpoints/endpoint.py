"""What answers questions: one method, which every layer has and wraps."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from facetwise.core.messages import Floats
from facetwise.core.response import Response


@runtime_checkable
class Endpoint(Protocol):
    """Anything that scores rows: a model here, a service, or a layer around one.

    A layer has these three members, and knows only the endpoint that it wraps.
    """

    @property
    def name(self) -> str:
        """What it is called in messages and records; never holds a credential."""

    def implies(self, classes: int) -> Response | None:
        """What is known of the scores beforehand, if anything is."""

    def scores(self, X: Any) -> Floats:
        """Scores (n, C) of the rows X: an array (n, d), or a frame with its columns.

        A row that was refused by itself, while others were not, has NaN for scores.
        """
