"""What a method gives, whoever made it, and what a method is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from numpy.typing import ArrayLike

from facetwise.core.messages import Floats, Ints

Sees = Literal["scores", "parameters"]
"""What of a model a method has to see."""


class Attribution(Protocol):
    """Weights of n instances with d features; an `Explanation` is one too."""

    @property
    def values(self) -> Floats:
        """(n, d) weights; NaN where the method has no answer."""

    @property
    def target(self) -> Ints:
        """(n,) the class that is explained."""

    @property
    def queries(self) -> Ints:
        """(n,) rows that the model was asked about."""

    @property
    def designs(self) -> Ints:
        """(n,) sets of probes asked; for Algorithm 1, its iterations."""

    @property
    def radius(self) -> Floats:
        """(n,) half-width of the box whose probes the weights come from, or NaN."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """At least the name of the "method", and the "seconds" that it took."""


@dataclass(frozen=True, slots=True, eq=False)
class Attributed:
    """The attribution of a method that certifies nothing: see `Attribution`."""

    values: Floats
    target: Ints
    queries: Ints
    designs: Ints
    radius: Floats
    meta: Mapping[str, Any]


class Method(Protocol):
    """A way to explain: its settings, and one call."""

    @property
    def sees(self) -> Sees:
        """What it is called with: a function of scores, or the model itself."""

    def __call__(self, model: Any, X: ArrayLike, targets: ArrayLike) -> Attribution:
        """Explain class `targets` (n,) at each of the instances X (n, d)."""
