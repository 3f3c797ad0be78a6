"""Models have to be trained before they are asked."""

from __future__ import annotations

from typing import Any

from facetwise.errors import InputError


def require_fitted(model: Any, attribute: str) -> None:
    """Raise unless training has left its mark on the model."""
    if not hasattr(model, attribute):
        name = type(model).__name__
        raise InputError(f"This {name} is not fitted yet: call fit(X, y) first.")
