"""Integrated gradients (Sundararajan et al., 2017), from black to the instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from facetwise.baselines.attributing import ROWS_A_PASS, attribute_all
from facetwise.baselines.differentiable import Logits
from facetwise.baselines.record import Attributed, Sees


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
    """The mean derivative of the target's logit on the way, times each feature.

    The way is a straight line from zero, looked at in `steps` places.
    """

    steps: int = 50
    sees: ClassVar[Sees] = "parameters"

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attributed:
        """Products (n, d)."""
        return attribute_all(self, self._weights, self.steps, model, X, targets)

    def _weights(self, captum: Any, logits: Logits, X: Any, target: Any) -> Any:
        return captum.IntegratedGradients(logits).attribute(
            X,
            target=target,
            n_steps=self.steps,
            internal_batch_size=max(ROWS_A_PASS, len(X)),
        )
