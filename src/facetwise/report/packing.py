"""Numbers as text, exactly: rows that a page can decode one at a time."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

WHOLE = 3
"""Rows are filled up to a multiple of so many numbers. Base64 turns 3 bytes into 4
characters, so each row then begins at a character of its own."""


def packed(array: NDArray[np.floating[Any]]) -> str:
    """The rows of an array (n, k) in base64, little-endian, in its own precision."""
    n, k = array.shape
    rows = np.zeros((n, -(-k // WHOLE) * WHOLE), array.dtype.newbyteorder("<"))
    rows[:, :k] = array
    return base64.b64encode(rows.tobytes()).decode("ascii")


def rounded_up(bounds: NDArray[np.float64]) -> NDArray[np.float32]:
    """Bounds in half the space, and none smaller than it was."""
    with np.errstate(over="ignore"):
        short = bounds.astype(np.float32)
        up = np.nextafter(short, np.float32(np.inf))
    return np.where(short.astype(np.float64) < bounds, up, short)
