"""What models take: rows of finite numbers, all of one width."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from facetwise.core.messages import Floats
from facetwise.errors import InputError


def as_rows(X: ArrayLike, features: int | None = None) -> Floats:
    """X as floats (n, d) with n of at least 1, and d as given; an error tells what not.

    Whole numbers, booleans and 32-bit floats are widened exactly.
    """
    array = np.asarray(X)
    if array.ndim != 2:
        raise InputError(
            f"X must have two dimensions, rows by features; got shape {array.shape}. "
            "Pass X.reshape(1, -1) for one row, or X.reshape(len(X), -1) for images."
        )
    if features is not None and array.shape[1] != features:
        raise InputError(
            f"The model has {features} features, and X has {array.shape[1]}: pass "
            "what it was made for, columns in the same order."
        )
    if not array.size:
        raise InputError(
            f"X must have a row and a feature at least; got shape {array.shape}."
        )
    return _numbers(array)


def _numbers(array: np.ndarray) -> Floats:
    """The entries as finite 64-bit floats."""
    if array.dtype.kind == "c":
        raise InputError("X must be real numbers; got complex ones.")
    try:
        rows = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"X must be numbers ({error}). Encode text and categories first."
        ) from error
    if not np.isfinite(rows).all():
        i, j = np.argwhere(~np.isfinite(rows))[0]
        raise InputError(
            f"X must be finite numbers; row {i}, feature {j} is {rows[i, j]}. Fill in "
            "missing values first, or leave such rows out."
        )
    return rows
