"""Bins keep the order of values, and lose nothing where values are few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.models.bins import MOST, into_bins

VALUES = st.floats(allow_nan=False, allow_infinity=False)


def check_thresholds(x, bins):
    """A value is in bin k or lower exactly if it is at most threshold k."""
    codes, thresholds = bins.codes[:, 0].astype(int), bins.thresholds[0]
    below = x[:, None] <= thresholds
    assert np.array_equal(codes, (~below).sum(axis=1))


@given(x=st.lists(VALUES, min_size=1, max_size=60))
def test_few_values_have_a_bin_each(x):
    """Whatever the numbers, equal ones share a bin and others do not."""
    x = np.array(x)
    bins = into_bins(x[:, None], np.ones(len(x)))
    assert np.array_equal(bins.codes[:, 0], np.searchsorted(np.unique(x), x))
    check_thresholds(x, bins)


@pytest.mark.parametrize(
    "pair",
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (-1.7e308, 1.7e308),
        (1.6e308, 1.7e308),
    ],
)
def test_neighbours_are_told_apart(pair):
    """Numbers without one between them, and the largest, still have a threshold."""
    x = np.array(pair)
    bins = into_bins(x[:, None], np.ones(2))
    assert list(bins.codes[:, 0]) == [0, 1]
    check_thresholds(x, bins)


def test_thresholds_lie_halfway():
    """Between two neighbouring values the threshold is their mean."""
    x = np.array([4.0, 1.0, 4.0, 2.0])
    assert list(into_bins(x[:, None], np.ones(4)).thresholds[0]) == [1.5, 3.0]


@pytest.mark.parametrize("seed", range(3))
def test_fine_features_are_shared_out_evenly(seed):
    """Of 10,000 different values, each bin holds 39 or 40."""
    x = np.random.default_rng(seed).standard_normal(10_000)
    bins = into_bins(x[:, None], np.ones(len(x)))
    counts = np.bincount(bins.codes[:, 0])
    assert len(counts) == MOST
    assert counts.min() >= 39
    assert counts.max() <= 40
    check_thresholds(x, bins)


def test_a_frequent_value_leaves_the_rest_apart():
    """A value that half of the rows have takes many shares and one bin."""
    rng = np.random.default_rng(0)
    x = np.concatenate([np.zeros(2000), rng.standard_normal(2000)])
    bins = into_bins(x[:, None], np.ones(len(x)))
    counts = np.bincount(bins.codes[:, 0])
    assert counts.max() >= 2000
    assert len(counts) >= MOST / 2 - 1
    assert counts.min() > 0
    check_thresholds(x, bins)


def test_weights_are_copies():
    """Rows with weights give the thresholds that their copies give."""
    rng = np.random.default_rng(1)
    x, copies = rng.standard_normal(1000), rng.integers(1, 6, size=1000)
    weighted = into_bins(x[:, None], copies.astype(float)).thresholds[0]
    repeated = np.repeat(x, copies)
    plain = into_bins(repeated[:, None], np.ones(len(repeated))).thresholds[0]
    assert np.array_equal(weighted, plain)
