"""Numbers come out of base64 as they went in, each row by itself."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from facetwise.report.packing import packed, rounded_up

MATRICES = arrays.arrays(
    np.float64, arrays.array_shapes(min_dims=2, max_dims=2), elements=st.floats()
)


@given(MATRICES, st.sampled_from([np.float32, np.float64]))
def test_rows_can_be_decoded_one_by_one(array, dtype):
    """Each row begins at a character of its own, and has the very same bits."""
    with np.errstate(over="ignore"):
        array = array.astype(dtype)
    n, k = array.shape
    text = packed(array)
    characters = len(text) // n
    for i in range(n):
        row = base64.b64decode(text[i * characters : (i + 1) * characters])
        decoded = np.frombuffer(row, np.dtype(dtype).newbyteorder("<"))[:k]
        assert np.array_equal(decoded, array[i], equal_nan=True)


@given(MATRICES)
def test_bounds_are_never_smaller(bounds):
    """In 32 bits a bound is the next number that is not below it."""
    bounds = np.abs(bounds)
    short = rounded_up(bounds)
    assert short.dtype == np.float32
    finite = np.isfinite(bounds)
    assert np.all(short[finite].astype(float) >= bounds[finite])
    below = np.nextafter(short, np.float32(-np.inf)).astype(float)
    assert np.all((below < bounds)[finite & (bounds > 0)])
    assert np.array_equal(np.isnan(short), np.isnan(bounds))


@pytest.mark.parametrize("shape", [(0, 4), (3, 0)])
def test_nothing_packs_to_nothing(shape):
    """No rows, or rows of no numbers, are an empty text."""
    assert packed(np.zeros(shape)) == ""
