"""Rows as users pass them, an array or a frame, read as numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from facetwise.core.messages import Floats, Mask
from facetwise.errors import InputError
from facetwise.tables.libraries import Library, frame_of

Names: TypeAlias = tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as numbers (n, d), and the frame that they came in, if it was one.

    `numbers` has NaN where a value is missing, and all over the columns that are not
    `numeric` (d,).
    """

    numbers: Floats
    numeric: Mask
    names: Names = None
    library: Library | None = None
    frame: Any = None

    def check(self, columns: Mask) -> None:
        """Say what is wrong if one of these columns (d,) is not numbers throughout."""
        gone = np.argwhere(~np.isfinite(self.numbers) & columns)
        if not len(gone):
            return
        i, j = gone[0]
        name = repr(self.names[j]) if self.names else str(j)
        if not self.numeric[j]:
            raise InputError(self._not_numeric(j, name))
        raise InputError(
            f"X holds {self.numbers[i, j]} at row {i}, feature {name}. Fill in or "
            "leave out rows with missing values."
        )

    def _not_numeric(self, j: int, name: str) -> str:
        assert self.library is not None
        column = self.library.columns(self.frame)[j]
        return (
            f"Column {name} cannot be moved: it holds {column.dtype} such as "
            f"{self.library.values(column)[0]!r}, not numbers that 64-bit floats "
            f"take. Freeze it, Domain(frozen=[{name}]): then it is sent as it is. To "
            "compare its values, freeze it and explain the row with each of them. Or "
            "encode it as numbers, and explain the model that follows the encoder. "
            "See docs/tables.md."
        )


def read(X: ArrayLike | Any, feature_names: Names = None) -> Table:
    """Read one instance (d,) or several (n, d); what they hold is judged later.

    Features are called as given, or else as the columns are.
    """
    table = _frame(*found) if (found := frame_of(X)) else _array(X)
    if feature_names is None:
        return table
    if len(feature_names) != (d := len(table.numeric)):
        raise InputError(f"feature_names needs {d} names; got {len(feature_names)}.")
    return replace(table, names=feature_names)


def as_array(X: ArrayLike | Any) -> Floats:
    """The same rows (n, d) as plain numbers, for a model that knows no frames."""
    table = read(X)
    table.check(np.ones_like(table.numeric))
    return table.numbers


def _frame(library: Library, frame: Any) -> Table:
    names = tuple(str(label) for label in library.labels(frame))
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"X has more than one column called {twice!r}; give each its own name."
        )
    _check_shape(frame.shape, frame.shape)
    numbers = np.full(frame.shape, np.nan)
    numeric = np.zeros(frame.shape[1], dtype=bool)
    for j, column in enumerate(library.columns(frame)):
        if (values := library.numbers(column)) is not None:
            numbers[:, j], numeric[j] = values, True
    return Table(numbers, numeric, names, library, frame)


def _array(X: ArrayLike) -> Table:
    try:
        if np.iscomplexobj(X):
            raise TypeError("it holds complex ones")
        numbers = np.array(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"X must hold real numbers alone; {error}. Encode categories as numbers "
            "first, or pass a frame and freeze its columns of text."
        ) from error
    if numbers.ndim == 1:
        numbers = numbers[None]
    _check_shape(numbers.shape, np.shape(X))
    return Table(numbers, np.ones(numbers.shape[1], dtype=bool))


def _check_shape(shape: tuple[int, ...], given: tuple[int, ...]) -> None:
    if len(shape) != 2 or 0 in shape:
        raise InputError(
            f"X must be one instance (d,) or several (n, d), and not empty; "
            f"got shape {given}. Flatten images to one row each."
        )
