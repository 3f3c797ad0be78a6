"""Rows are read from files as they stand, or what is wrong with a file is named."""

import json
import sys

import numpy as np
import pytest

from facetwise import ExtraError, InputError
from facetwise.tables import files
from facetwise.tables.files import read_rows

TRICKY = [0.1, 1 / 3, -5e-324, 1.7976931348623157e308, 2.0**53 + 2, 1e-7]


@pytest.fixture
def write(tmp_path):
    """Write a file; its path."""

    def write(name, text):
        file = tmp_path / name
        file.write_text(text, "utf-8")
        return file

    return write


@pytest.fixture
def bare(monkeypatch):
    """Neither pandas nor polars is installed."""
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)

    def missing(name, library):
        raise ExtraError(f"{library} is missing")

    monkeypatch.setattr(files, "extra", missing)


def test_numbers_keep_all_digits(write):
    """Every 64-bit number comes back as it was written, from CSV and JSON lines."""
    text = ",".join(map(repr, TRICKY))
    X, names = read_rows(write("x.csv", text + "\n"))
    assert (X.tolist(), names) == ([TRICKY], None)
    head = ",".join("abcdef")
    X, names = read_rows(write("x.csv", f"{head}\n{text}\n"))
    assert (X.to_numpy().tolist(), names) == ([TRICKY], tuple("abcdef"))
    X, names = read_rows(write("x.jsonl", json.dumps(TRICKY)))
    assert (X.tolist(), names) == ([TRICKY], None)


def test_columns_keep_their_kind(write):
    """Whole numbers, numbers, yes and no, and text are told apart; gaps are missing."""
    frame, _ = read_rows(
        write("x.csv", 'a,b,c,d,e\n1,1.5,True,x,"7"\n-2,,False,NA,1_0\n')
    )
    assert [dtype.kind for dtype in frame.dtypes][:3] == ["i", "f", "b"]
    assert np.isnan(frame["b"][1])
    assert frame["d"].tolist() == ["x", "NA"]
    assert frame["e"].tolist() == ["7", "1_0"]


def test_a_mark_at_the_start_is_no_part_of_a_name(write):
    """Files that begin with a byte order mark have the names that one sees."""
    assert read_rows(write("x.csv", "\ufeffa,b\n1,2\n"))[1] == ("a", "b")


def test_numbers_need_no_library(write, bare):
    """Without pandas, files of numbers are arrays with names; text needs it."""
    X, names = read_rows(write("x.csv", "a,b\n1,2.5\n3,4\n"))
    assert (X.tolist(), names) == ([[1.0, 2.5], [3.0, 4.0]], ("a", "b"))
    lines = write("x.jsonl", '{"a": 1, "b": 2}\n{"b": 4, "a": 3}\n')
    X, names = read_rows(lines, ["b", "a"])
    assert (X.tolist(), names) == ([[2.0, 1.0], [4.0, 3.0]], ("b", "a"))
    with pytest.raises(ExtraError):
        read_rows(write("text.csv", "a,b\n1,x\n"))


def test_columns_are_picked_or_named(write):
    """Features are columns by name, or the names of columns that have none."""
    frame, names = read_rows(write("x.csv", "a,b,c\n1,2,3\n"), ["c", "a"])
    assert (frame.to_numpy().tolist(), names) == ([[3, 1]], ("c", "a"))
    X, names = read_rows(write("x.csv", "1,2\n"), ["p", "q"])
    assert (X.tolist(), names) == ([[1.0, 2.0]], ("p", "q"))


def test_arrays(tmp_path):
    """One instance is a row; in an archive the only array counts, or X."""
    np.save(tmp_path / "one.npy", np.arange(3.0))
    assert read_rows(tmp_path / "one.npy")[0].shape == (1, 3)
    np.savez(tmp_path / "x.npz", y=np.ones(2), X=np.zeros((2, 3)))
    assert read_rows(tmp_path / "x.npz")[0].shape == (2, 3)
    np.savez(tmp_path / "two.npz", a=np.ones(2), b=np.ones(2))
    with pytest.raises(InputError, match="holds a, b"):
        read_rows(tmp_path / "two.npz")


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("x.csv", "", "no rows"),
        ("x.csv", "a,b\n", "no rows"),
        ("x.csv", "a,b\n1\n", "row 0 has 1 entries"),
        ("x.csv", ",a\n0,1\n", "without a name"),
        ("x.csv", "a,a\n0,1\n", "more than one column called 'a'"),
        ("x.csv", "a;b\n0;1\n", "separated by ';'"),
        ("x.csv", 'a,b\n"0,1\n', "cannot be read as csv"),
        ("x.jsonl", "", "no rows"),
        ("x.jsonl", "{", "cannot be read as jsonl"),
        ("x.jsonl", '{"a": 1}\n{"b": 1}', "the same keys"),
        ("x.jsonl", "[1, 2]\n[1]", "cannot be read as jsonl"),
        ("x.jsonl", '{"a": 1}\n[1]', "cannot be read as jsonl"),
        ("x.npy", "a,b", "cannot be read as npy"),
        ("x.npz", "a,b", "cannot be read as npz"),
        ("x.parquet", "a,b", "no Parquet file"),
        ("x.xlsx", "a,b", "ends in .xlsx"),
        ("x", "a,b", "ends in nothing"),
    ],
)
def test_what_cannot_be_read(write, name, text, says):
    """What is wrong with a file is an error that names it."""
    with pytest.raises(InputError, match=says):
        read_rows(write(name, text))
