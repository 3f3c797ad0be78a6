"""A service that is known by its address alone: to plan with before it is asked."""

from __future__ import annotations

from typing import Any

from facetwise.core.messages import Floats
from facetwise.core.response import Response
from facetwise.endpoints.credentials import mask
from facetwise.errors import EndpointError


class Unreached:
    """An endpoint that sends nothing."""

    def __init__(self, url: str) -> None:
        self.name = mask(url)

    def implies(self, classes: int) -> Response | None:
        """Nothing is known of scores that nobody has seen."""
        return None

    def scores(self, X: Any) -> Floats:
        """Nothing can be asked."""
        raise EndpointError(f"{self.name} is not connected. Use facetwise.connect.")
