"""The spread of a feature is that of most of its values, and never 0."""

import numpy as np

from facetwise.core.spread import spread


def test_the_middle_half():
    """Of 0 to 100 it is 50, and an outlier does not change that."""
    rows = np.linspace(0.0, 100.0, 101)[:, None]
    assert spread(rows).tolist() == [50.0]
    rows[-1] = 1e9
    assert spread(rows).tolist() == [50.0]


def test_the_next_best():
    """It is the standard deviation where most are alike, and 1 where all are."""
    rows = np.array([[0.0, 3.0]] * 9 + [[10.0, 3.0]])
    assert spread(rows).tolist() == [3.0, 1.0]
