"""What is explained: which class, against which, of scores of which kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facetwise.core.messages import Floats, Ints
from facetwise.core.response import LogOdds, Response, infer_response
from facetwise.errors import InputError, ResponseError

NOT_KNOWN = -1
"""The target of a row that was to be explained for its predicted class, and was never
asked."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user named; None, or "auto", is told by the first answers."""

    target: Ints | None
    versus: int | None
    response: str
    class_names: tuple[str, ...] | None

    def named(self, rows: int) -> Ints:
        """The target of each row as far as it is known before any answer."""
        target = self.target
        if target is None:
            return np.full(rows, NOT_KNOWN)
        if target.shape not in ((), (rows,)):
            raise InputError(
                f"target needs one class, or one for each of the {rows} rows; got "
                f"{len(target)}."
            )
        return np.broadcast_to(target, (rows,))

    def kind(self, origins: Floats, implied: Response | None) -> Response:
        """What scores (n, C) are: as named, as the model implies, or as they look."""
        names, C = self.class_names, origins.shape[1]
        if names is not None and len(names) != C:
            raise InputError(f"class_names needs {C} names; got {len(names)}.")
        if self.response != "auto":
            return _possible(Response(self.response), C)
        if implied is not None:
            return implied
        whole = np.isfinite(origins).all(axis=1)
        if not whole.any():
            raise ResponseError(
                "The model answered NaN or infinite scores for every row. Check that "
                "the rows are valid input, or name what the scores are: response=..."
            )
        return infer_response(origins[whole])

    def targets(self, kind: Response, origins: Floats) -> Ints:
        """The class to explain for each instance that was answered (n, C)."""
        n, C = origins.shape
        if self.target is None:
            if kind is Response.REGRESSION and C > 1:
                raise InputError(
                    f"The model has {C} outputs and none is predicted over the others. "
                    "Pass target=, the output to explain."
                )
            best: Ints = np.argmax(np.nan_to_num(origins, nan=-np.inf), axis=1)
            return best
        unknown = self.target[(self.target < 0) | (self.target >= C)]
        if unknown.size:
            raise InputError(
                f"target names class {unknown.flat[0]}; the model has classes 0 to "
                f"{C - 1}."
            )
        return self.target[:n] if self.target.ndim else np.full(n, self.target)

    def log_odds(self, kind: Response, target: int, C: int) -> LogOdds:
        """Which of C scores the target is compared with."""
        versus = self.versus
        if versus is None:
            rivals = [c for c in range(C) if c != target]
            return LogOdds(kind, target, tuple(rivals) if kind.softmax else ())
        if not kind.softmax:
            raise InputError(f"versus= compares classes; {kind} scores have no rivals.")
        if versus == target or not 0 <= versus < C:
            raise InputError(
                f"versus={versus} must be another class than the one explained, "
                f"{target}, and lie between 0 and {C - 1}."
            )
        return LogOdds(kind, target, (versus,), contrast=versus)


def _possible(kind: Response, C: int) -> Response:
    """The kind that the user named, if the number of scores allows it."""
    if kind is Response.BINARY and C != 1:
        raise ResponseError(
            f"response='binary' means one score a row; the model answers {C}. Pass "
            "'probabilities' or 'sigmoid'."
        )
    if kind.softmax and C == 1:
        raise ResponseError(
            f"response={str(kind)!r} compares classes, and the model answers one score "
            "a row. Pass 'binary' or 'regression'."
        )
    return kind
