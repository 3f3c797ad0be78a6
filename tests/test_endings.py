"""The ending of a file says what it holds, or what was expected is said."""

from pathlib import Path

import pytest

from facetwise import InputError
from facetwise.endings import check_ending


def test_a_known_ending_is_given_back():
    """What comes back is a key of those that were known."""
    assert check_ending(Path("a.b/rows.csv"), {".csv": 1}, "rows are in") == ".csv"


@pytest.mark.parametrize(("name", "ending"), [("a.txt", ".txt"), ("a", "nothing")])
def test_an_unknown_ending_is_told_with_those_that_are_known(name, ending):
    """The error names the file, its ending, and all that would do."""
    says = rf"^{name} ends in {ending}; rows are in \.csv, \.npy\.$"
    with pytest.raises(InputError, match=says):
        check_ending(Path("folder", name), [".csv", ".npy"], "rows are in")
