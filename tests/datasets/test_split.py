"""Splits are drawn from the seed alone, class by class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.datasets.split import split
from facetwise.errors import InputError

TEST_ROWS = [2, 3, 11, 13, 18, 20, 21, 32]

classes = st.lists(st.integers(0, 3), min_size=1, max_size=60).map(np.array)


@given(classes, st.integers(0, 2**40))
def test_every_row_once(y, seed):
    """Each row is in one part, in its order, a fifth of each class in the second."""
    train, test = split(y, seed)
    assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(len(y)))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    for c in set(y.tolist()):
        assert abs(np.sum(y[test] == c) - 0.2 * np.sum(y == c)) <= 0.5


def test_the_seed_decides():
    """The same seed gives the same rows, for ever, and another one others."""
    y = np.arange(40) % 2
    assert split(y, 0)[1].tolist() == TEST_ROWS
    assert split(y, 1)[1].tolist() != TEST_ROWS


@pytest.mark.parametrize("seed", [-1, 0.5, None, "0"])
def test_seeds_that_are_none(seed):
    """A split without a seed cannot be had again, so it is refused."""
    with pytest.raises(InputError, match="whole number from 0"):
        split(np.array([0, 1]), seed)
