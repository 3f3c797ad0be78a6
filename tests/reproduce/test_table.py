"""The tidy table is written and read without loss."""

import numpy as np
import pytest

from facetwise import InputError
from facetwise.reproduce import summary, table
from facetwise.reproduce.table import ALL

ROWS = [
    ("mnist", "lmt", "zoo", "1e-4", "17", "L1Dist", 0.1 + 0.2),
    ("mnist", "lmt", "zoo", "1e-4", "3", "L1Dist", np.nan),
    ("mnist", "lmt", "saliency", "", ALL, "CPP 0", 0.0),
    ("mnist", "lmt", "saliency", "", ALL, "CPP 1", 1e-300),
    ("mnist", "plnn", "zoo", "1e-4", "17", "L1Dist", np.inf),
]


def test_it_reads_back_as_written(tmp_path):
    """Every digit, NaN and infinity too, cell by cell."""
    path = tmp_path / "results.csv"
    table.write(path, ROWS)
    lmt, plnn = table.read(path).cells
    assert (lmt.name, plnn.name) == ("MNIST (LMT)", "MNIST (PLNN)")
    found = lmt.of("zoo", "L1Dist", "1e-4")
    assert found[0] == 0.1 + 0.2
    assert np.isnan(found[1])
    assert lmt.mean("zoo", "L1Dist", "1e-4") == found[0]
    assert lmt.curve("saliency", "CPP").tolist() == [0.0, 1e-300]
    assert plnn.of("zoo", "L1Dist", "1e-4").tolist() == [np.inf]
    assert [p.name for p in tmp_path.iterdir()] == ["results.csv"]


def test_what_is_not_there_is_empty():
    """No value, a mean that is NaN, no curve, no groups."""
    (cell,) = table.Table.of(ROWS[:1]).cells
    assert cell.of("lime", "L1Dist").size == cell.curve("lime", "CPP").size == 0
    assert np.isnan(cell.mean("lime", "L1Dist"))
    assert cell.groups("facetwise") == {}


@pytest.mark.parametrize("text", ["", "a,b\n", ",".join(table.COLUMNS) + "\n1,2,3\n"])
def test_damaged_tables_are_named(text, tmp_path):
    """Another file, or a line that is cut, is refused by name."""
    path = tmp_path / "results.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"results\.csv"):
        table.read(path)


def test_the_summary_is_over_numbers(tmp_path):
    """It tells of how many instances there is a number, and leaves curves out."""
    lines = list(summary.summary(table.Table.of(ROWS)))
    (line,) = lines  # infinity is no number either
    assert (line.instances, line.numbers, line.mean) == (2, 1, 0.1 + 0.2)
    summary.write(tmp_path / "summary.csv", table.Table.of(ROWS))
    head, row = (tmp_path / "summary.csv").read_text("utf-8").splitlines()
    assert head.startswith("dataset,model,method,setting,measure,instances")
    assert row == "mnist,lmt,zoo,1e-4,L1Dist,2,1,0.3,0.3,0.3,0.3"
