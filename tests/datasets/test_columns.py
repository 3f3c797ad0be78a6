"""The text of a table becomes columns of numbers or of words, gaps included."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.datasets.columns import Column, read_columns
from facetwise.errors import DataError


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2"], Column((1, 2), True)),
        (["1.0", "-2.0"], Column((1, -2), True)),
        (["1", "2.5"], Column((1.0, 2.5), True)),
        (["1", ""], Column((1.0, None), True)),
        (["NA", "2.5"], Column((None, 2.5), True)),
        (["yes", "no"], Column(("yes", "no"), False)),
        (["yes", "NA"], Column(("yes", None), False)),
        (["1", "many"], Column(("1", "many"), False)),
        (["nan", "inf"], Column(("nan", "inf"), False)),
        (["", "NA"], Column((None, None), False)),
        (["0.2210000038146972", "1e-3"], Column((0.2210000038146972, 0.001), True)),
    ],
)
def test_kinds_of_columns(cells, expected):
    """Numbers are numbers if all are, whole if all are whole and none is missing."""
    text = "a,b\n" + "".join(f"{cell},x\n" for cell in cells)
    columns = read_columns(text, "file")
    assert columns["a"] == expected
    assert [type(v) for v in columns["a"].values] == [type(v) for v in expected.values]


def test_one_content_written_in_two_ways():
    """What R and pandas write of the same rows is read as the same columns."""
    pandas = "kind,age,debt\nfixed,30,0.0\n,41,\n"
    r = '"rownames","kind","age","debt"\n"1","fixed",30,0\n"2",NA,41,NA\n'
    assert read_columns(pandas, "file") == read_columns(r, "file")


words = st.sampled_from(["word", 'a,"b"', "x\ny", "ü", " ", "='"])


@given(st.lists(st.tuples(words, st.integers(-(2**53), 2**53)), min_size=1))
def test_quoted_words(rows):
    """Words with commas, quotes and line breaks come back as they were written."""
    text = io.StringIO()
    csv.writer(text).writerows([("word", "number"), *rows])
    columns = read_columns(text.getvalue(), "file")
    assert list(zip(*(c.values for c in columns.values()), strict=True)) == rows


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no rows"),
        ("a,b\n", "has no rows"),
        ("a,a\n1,2\n", "columns of one name"),
        ("a,b\n1,2\n3\n", "line 3 has 1 fields, the header 2"),
        ("a,b\n1,2,3\n", "line 2 has 3 fields, the header 2"),
    ],
)
def test_what_is_no_table(text, says):
    """A text whose rows do not fit its header is refused by name and line."""
    with pytest.raises(DataError, match=f"set/file.*{says}"):
        read_columns(text, "set/file")
