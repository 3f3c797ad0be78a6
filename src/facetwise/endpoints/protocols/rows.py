"""Rows as a protocol carries them: numbers alone, or columns with names."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from facetwise.core.messages import Floats
from facetwise.errors import InputError


def named(X: Any) -> bool:
    """Whether the rows are a frame."""
    return not isinstance(X, np.ndarray)


def columns(X: Any) -> dict[str, list[Any]]:
    """The columns of a frame as plain values, by their names."""
    names = [str(name) for name in X.columns]
    if len(set(names)) < len(names):
        raise InputError(
            "Two columns have one name; a service cannot tell them apart. Rename one."
        )
    return {str(name): _values(X[name]) for name in X.columns}


def records(X: Any) -> list[dict[str, Any]]:
    """The rows of a frame, each by the names of its columns."""
    values = columns(X)
    of_rows = zip(*values.values(), strict=True)
    return [dict(zip(values, row, strict=True)) for row in of_rows]


def lists(X: Any) -> list[Any] | Floats:
    """The rows without names: an array, or lists of plain values."""
    if not named(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    return [list(row) for row in zip(*columns(X).values(), strict=True)]


def numbers(X: Any) -> Floats:
    """The rows as an array (n, d), for services that take nothing else."""
    values = np.asarray(X)
    # Text that could be read as a number is none: codes and names may look so.
    plain = values.dtype.kind in "fiub" or not any(
        isinstance(value, str) for value in values.flat
    )
    with contextlib.suppress(TypeError, ValueError):
        if plain:
            return np.ascontiguousarray(values, dtype=np.float64)
    raise InputError(
        "This service takes numbers, and a column has others. Encode it as a number, "
        "or name a protocol that carries columns."
    )


def _values(column: Any) -> list[Any]:
    """The values of a column as Python has them, None where one is missing."""
    if hasattr(column, "notna"):  # pandas, which has several ways to be missing
        column = column.astype(object).where(column.notna(), None)
    return list(column.to_list())
