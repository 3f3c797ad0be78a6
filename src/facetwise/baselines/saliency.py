"""Saliency maps (Simonyan et al., 2013): how large each derivative is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from facetwise.baselines.attributing import attribute_all
from facetwise.baselines.differentiable import Logits
from facetwise.baselines.record import Attributed, Sees


@dataclass(frozen=True, slots=True)
class Saliency:
    """Derivatives of the target's logit, without their sign."""

    sees: ClassVar[Sees] = "parameters"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """Absolute derivatives (n, d)."""
        return attribute_all(self, self._weights, 1, model, X, targets)

    def _weights(self, captum: Any, logits: Logits, X: Any, target: Any) -> Any:
        return captum.Saliency(logits).attribute(X, target=target)
