"""IDX files are read as they were written, and anything else is refused by name."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from facetwise.datasets.idx import parse
from facetwise.errors import DataError


def idx(array, magic=b"\x00\x00\x08"):
    """An array written as the format is described."""
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return magic + bytes([array.ndim]) + sizes + array.tobytes()


@given(arrays(np.uint8, array_shapes(max_dims=3, min_side=0)))
def test_what_was_written_is_read(array):
    """Shape and values come back, whatever they are, and nobody can write to them."""
    read = parse(idx(array), "file", array.ndim)
    assert read.dtype == np.uint8
    assert np.array_equal(read, array)
    assert not read.flags.writeable


IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("length", range(len(idx(IMAGES))))
def test_a_file_that_was_cut(length):
    """No beginning of a file is taken for all of it."""
    with pytest.raises(DataError, match="set/file"):
        parse(idx(IMAGES)[:length], "set/file", 3)


def test_a_file_that_goes_on():
    """Bytes after the last value are refused."""
    with pytest.raises(
        DataError, match="2 x 3 x 4 values were announced, and 25 bytes"
    ):
        parse(idx(IMAGES) + b"\x00", "file", 3)


@pytest.mark.parametrize(
    "content",
    [
        idx(IMAGES, b"\x00\x01\x08"),
        idx(IMAGES, b"\x00\x00\x0d"),  # 32-bit floats
        idx(IMAGES.reshape(6, 4)),
        idx(IMAGES.ravel()),
        b"\x1f\x8b\x08\x03 packed",
    ],
)
def test_a_file_of_another_kind(content):
    """Another opening, type or number of dimensions is told from what was expected."""
    with pytest.raises(DataError, match="00 00 08 03 and 3 sizes were expected"):
        parse(content, "file", 3)


def test_sizes_beyond_all_measure():
    """Sizes are multiplied without overflow: absurd ones do not come out as small."""
    content = b"\x00\x00\x08\x02" + struct.pack(">II", 2**31, 2**33 % 2**32 + 2**31)
    with pytest.raises(DataError, match="announced"):
        parse(content, "file", 2)
