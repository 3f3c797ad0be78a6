"""Arrays and frames are read as numbers with names, or it is said why they are not."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from facetwise.errors import InputError
from facetwise.tables.reading import read

COLUMNS = {
    "whole": [1, 2, 3],
    "half": [0.5, -1.5, 2.5],
    "yes": [True, False, True],
    "text": ["a", "b", "a"],
}
NUMBERS = np.array([[1.0, 0.5, 1.0], [2.0, -1.5, 0.0], [3.0, 2.5, 1.0]])

LIBRARIES = [pd, pl]


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_are_read_by_column(library):
    """Numbers and booleans are read as numbers, text is not, names stay."""
    table = read(library.DataFrame(COLUMNS))
    assert table.names == ("whole", "half", "yes", "text")
    assert table.numeric.tolist() == [True, True, True, False]
    assert np.array_equal(table.numbers[:, :3], NUMBERS)
    assert np.isnan(table.numbers[:, 3]).all()


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint16", "float32", "Int64", "Float32", "UInt8", "Sparse[int]"],
)
def test_every_numeric_type_of_pandas(dtype):
    """Extension types are numbers as well, and keep their values."""
    frame = pd.DataFrame({"x": pd.array([0, 1, 7], dtype=dtype)})
    assert read(frame).numbers.ravel().tolist() == [0.0, 1.0, 7.0]


def test_every_numeric_type_of_polars():
    """Small and large numbers and decimals keep their values."""
    for dtype in [pl.Int8, pl.UInt64, pl.Float32, pl.Decimal(10, 2)]:
        frame = pl.DataFrame({"x": [0, 1, 7]}, schema={"x": dtype})
        assert read(frame).numbers.ravel().tolist() == [0.0, 1.0, 7.0]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1 + 2j, 0j]),
        pd.Series(["1", "2"]),
        pd.Series([1, 2], dtype=object),
        pd.Series([1, 2], dtype="category"),
        pd.Series([2**53 + 2, 1]),
        pd.to_datetime(pd.Series(["2020-01-01", "2021-01-01"])),
        pl.Series(["1", "2"]),
        pl.Series([2**53 + 2, 1]),
        pl.Series([[1.0], [2.0]]),
        pl.Series(["a", "b"], dtype=pl.Categorical),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]} {column.dtype}",
)
def test_what_is_no_number(column):
    """Text, categories, dates, and numbers too long for a float are none to move."""
    library = pd if isinstance(column, pd.Series) else pl
    table = read(library.DataFrame({"x": column}))
    assert not table.numeric.any()
    with pytest.raises(InputError, match=r"'x' cannot be moved.*Freeze.*encode"):
        table.check(np.array([True]))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, np.nan]}),
        pd.DataFrame({"a": [1, 2], "b": pd.array([3, None], dtype="Int64")}),
        pl.DataFrame({"a": [1, 2], "b": [3, None]}),
    ],
)
def test_missing_values_are_named(frame):
    """A missing number is told by its row and by the name of its column."""
    table = read(frame)
    with pytest.raises(InputError, match=r"nan at row 1, feature 'b'.*Fill in or"):
        table.check(np.array([True, True]))
    table.check(np.array([True, False]))


def test_names_given_go_first():
    """Features are called as the user says, and their number has to fit."""
    assert read(np.zeros((2, 2)), ("x", "y")).names == ("x", "y")
    assert read(pd.DataFrame(np.zeros((2, 2))), ("x", "y")).names == ("x", "y")
    assert read(pd.DataFrame(np.zeros((2, 2)))).names == ("0", "1")
    assert read(np.zeros((2, 2))).names is None
    with pytest.raises(InputError, match="feature_names needs 2 names; got 3"):
        read(np.zeros((2, 2)), ("x", "y", "z"))


def test_a_row_of_pandas():
    """A series is one row of a frame, and finds the types of its columns again."""
    frame = pd.DataFrame(COLUMNS)
    table = read(frame.iloc[1])
    assert table.names == ("whole", "half", "yes", "text")
    assert table.numeric.tolist() == [True, True, True, False]
    assert np.array_equal(table.numbers[:, :3], NUMBERS[1:2])


def test_a_series_of_polars():
    """A series of polars has no names, so it is an array (d,)."""
    table = read(pl.Series([1.0, 2.0]))
    assert table.names is None
    assert table.numbers.tolist() == [[1.0, 2.0]]


def test_columns_of_one_name():
    """Two columns of the same name are refused, as no setting could tell them apart."""
    frame = pd.DataFrame([[1.0, 2.0]], columns=["x", "x"])
    with pytest.raises(InputError, match="more than one column called 'x'"):
        read(frame)


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_without_rows(library):
    """A frame without rows or columns is refused by its shape."""
    with pytest.raises(InputError, match=r"not empty; got shape \(0, 1\)"):
        read(library.DataFrame({"x": []}))
    with pytest.raises(InputError, match=r"not empty; got shape \(0, 0\)"):
        read(library.DataFrame())


def test_lazy_frames():
    """A lazy frame has no rows to explain before it is collected."""
    with pytest.raises(InputError, match="collect"):
        read(pl.LazyFrame({"x": [1.0]}))


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_frame_is_not_changed(library):
    """Numbers read from a frame are a copy."""
    frame = library.DataFrame({"x": [1.0, 2.0]})
    read(frame).numbers[:] = 7.0
    assert frame["x"].to_list() == [1.0, 2.0]
