"""Local models read off a model, and the check that they are the model's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from facetwise.core.messages import Floats
from facetwise.errors import InputError
from facetwise.models.rows import as_rows

Pattern = NDArray[Any]
"""One entry or more a row, (n, …): booleans, or whole numbers."""

AGREEMENT = 1e-10
"""How far W x + b may be from what the model answers, relative to its terms."""


@dataclass(frozen=True, slots=True, eq=False)
class LocalModels:
    """The affine functions that a model follows around n instances.

    Attributes
    ----------
    W, b
        (n, C, d) and (n, C) with logits(x) = W x + b, or outputs for a regression.
    region
        (n,) keys that can be hashed, equal exactly when the regions are.
    """

    W: Floats
    b: Floats
    region: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.b)

    def contrast(self, target: int, rival: int) -> tuple[Floats, Floats]:
        """D_{c,c'} (n, d) and B_{c,c'} (n,) of two classes."""
        return (
            self.W[:, target] - self.W[:, rival],
            self.b[:, target] - self.b[:, rival],
        )

    def decision_features(self, target: int) -> tuple[Floats, Floats]:
        """D_c (n, d) and B_c (n,): the mean over all rivals, equation 1 of the paper.

        A single output has no rivals, and is given as it is. Of outputs that do not
        compete (a regression, independent labels) take `W[:, c]` and `b[:, c]`.
        """
        C = self.b.shape[1]
        if C == 1:
            return self.W[:, target], self.b[:, target]
        share = np.full(C, -1.0 / (C - 1))
        share[target] = 1.0
        return np.einsum("c,ncd->nd", share, self.W), self.b @ share


class Opened(Protocol):
    """What is asked of a model that has been looked into. All floats have 64 bits."""

    @property
    def features(self) -> int:
        """d."""

    @property
    def outputs(self) -> int:
        """C."""

    @property
    def rows(self) -> int:
        """How many it takes at a time."""

    def answers(self, X: Floats) -> Floats:
        """What the model itself says, (n, C), computed its own way."""

    def patterns(self, X: Floats) -> Sequence[Pattern]:
        """What tells the region of each row."""

    def local(self, X: Floats) -> tuple[Floats, Floats, Sequence[Pattern]]:
        """W (n, C, d), b (n, C), and the patterns."""


@dataclass(frozen=True, slots=True)
class OpenBox:
    """Call it with instances (n, d) to get the local model of each."""

    inside: Opened
    name: str

    @property
    def features(self) -> int:
        """d, the number of features."""
        return self.inside.features

    @property
    def outputs(self) -> int:
        """C, the number of logits, or of outputs."""
        return self.inside.outputs

    def __call__(self, X: ArrayLike) -> LocalModels:
        """The local models; an error when they are not what the model computes."""
        rows = as_rows(X, self.features)
        n = len(rows)
        W = np.empty((n, self.outputs, self.features))
        b = np.empty((n, self.outputs))
        region = np.empty(n, dtype=object)
        for chunk in self._chunks(n):
            W[chunk], b[chunk], patterns = self.inside.local(rows[chunk])
            region[chunk] = keys(patterns, len(region[chunk]))
            self._verify(rows[chunk], W[chunk], b[chunk])
        return LocalModels(W, b, region)

    def logits(self, X: ArrayLike) -> Floats:
        """What the model itself answers in 64 bits, (n, C)."""
        return self._by_chunks(X, self.inside.answers, np.empty((0, self.outputs)))

    def regions(self, X: ArrayLike) -> NDArray[np.object_]:
        """The keys (n,) alone, which cost no more than to ask the model."""
        nothing = np.empty(0, dtype=object)
        return self._by_chunks(
            X, lambda x: keys(self.inside.patterns(x), len(x)), nothing
        )

    def _by_chunks(
        self, X: ArrayLike, ask: Callable[[Floats], NDArray[Any]], start: NDArray[Any]
    ) -> NDArray[Any]:
        rows = as_rows(X, self.features)
        parts = [ask(rows[chunk]) for chunk in self._chunks(len(rows))]
        return np.concatenate([start, *parts])

    def _chunks(self, n: int) -> list[slice]:
        step = self.inside.rows
        return [slice(start, start + step) for start in range(0, n, step)]

    def _verify(self, X: Floats, W: Floats, b: Floats) -> None:
        """Raise unless W x + b is what the model answers."""
        told = np.einsum("ncd,nd->nc", W, X) + b
        answers = self.inside.answers(X)
        terms = np.einsum("ncd,nd->nc", np.abs(W), np.abs(X)) + np.abs(b)
        same = told == answers  # both may be -inf
        with np.errstate(invalid="ignore"):
            off = np.abs(told - answers) / np.maximum(1.0, terms)
        if not np.all(same | (off <= AGREEMENT)):
            worst = float(np.nanmax(np.where(same, 0.0, off)))
            raise InputError(
                f"{self.name} does not follow the affine functions read off it: they "
                f"are off by {worst:.3g}, relative. It computes something besides its "
                "layers, such as a prediction method of its own; openbox cannot tell "
                "the truth about it."
            )


def keys(patterns: Sequence[Pattern], n: int) -> NDArray[np.object_]:
    """A key for each of n rows: its patterns as bytes, in a layout that all rows share.

    So the types of patterns must not depend on the rows. The last byte is no zero, as
    NumPy would drop that where it compares.
    """
    packed = []
    for p in patterns:
        flat = np.ascontiguousarray(p.reshape(n, -1))
        packed.append(
            np.packbits(flat, axis=1) if p.dtype == bool else flat.view(np.uint8)
        )
    packed.append(np.ones((n, 1), dtype=np.uint8))
    region = np.empty(n, dtype=object)
    region[:] = [row.tobytes() for row in np.concatenate(packed, axis=1)]
    return region
