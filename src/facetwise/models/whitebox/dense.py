"""Fully connected networks, whose layers are composed at an instance."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from facetwise.core.messages import Floats
from facetwise.models.fitted import require_fitted
from facetwise.models.layers import Dense
from facetwise.models.plnn import PLNN
from facetwise.models.whitebox.local import Pattern

BUDGET = 2**23
"""Numbers that the slopes of a chunk may hold in the widest layer: 64 MB of them."""


@dataclass(frozen=True, slots=True)
class DenseBox:
    """A network of dense layers in 64 bits, and how its own class answers."""

    network: Dense
    ask: Callable[[Floats], Floats]

    @property
    def features(self) -> int:
        """d."""
        return self.network.features

    @property
    def outputs(self) -> int:
        """C."""
        return self.network.outputs

    @property
    def rows(self) -> int:
        """As many as keep within the budget."""
        widest = max(self.features, self.network.width)
        return max(1, BUDGET // (self.outputs * widest))

    def answers(self, X: Floats) -> Floats:
        """As the model's own class computes them."""
        return self.ask(X)

    def patterns(self, X: Floats) -> Sequence[Pattern]:
        """The piece that each hidden unit takes."""
        return self.network.run(X)[1]

    def local(self, X: Floats) -> tuple[Floats, Floats, Sequence[Pattern]]:
        """The layers composed, backwards from the outputs."""
        patterns = self.patterns(X)
        return *self.network.local(patterns, len(X)), patterns


def plnn(model: PLNN) -> DenseBox:
    """A PLNN, in 64 bits whatever its `dtype`."""
    require_fitted(model, "network_")
    wide = copy.copy(model).set_params(dtype="float64")
    return DenseBox(model.network_, wide.decision_function)
