"""The spread of a feature is that of most of its values, and never 0."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

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


NUMBERS = st.lists(
    st.integers(-1000, 1000).map(lambda n: n / 8.0), min_size=2, max_size=12
)


@given(values=NUMBERS, unit=st.sampled_from([-1e6, -1.0, 1e-6, 4.0]))
def test_it_goes_with_the_unit(values, unit):
    """Other units, and another zero, change the spread by the factor between them."""
    rows = np.array(values)[:, None]
    assume(rows.min() < rows.max())
    assert spread(unit * rows) == pytest.approx(abs(unit) * spread(rows))
    assert spread(rows + 0.5) == pytest.approx(spread(rows))


@given(values=NUMBERS, power=st.integers(-150, 150))
def test_it_is_never_nothing(values, power):
    """It is above 0, and no more than the whole range where values differ at all."""
    rows = 10.0**power * np.array(values)[:, None]
    found = spread(rows)[0]
    assert 0.0 < found < np.inf
    if rows.min() < rows.max():
        assert found <= np.ptp(rows) * (1 + 1e-9)


def test_each_feature_by_itself():
    """Features side by side have the spread that each of them has alone."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 3)) * [1e-3, 1.0, 1e3]
    alone = [spread(rows[:, [j]])[0] for j in range(3)]
    assert spread(rows).tolist() == alone
    assert spread(rng.permutation(rows)) == pytest.approx(alone)
