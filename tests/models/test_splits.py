"""Splits are those of C4.5, found here by going through every threshold."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.models import splits
from facetwise.models.bins import into_bins
from facetwise.models.splits import Split, best_split


def entropy(weights):
    """Bits, of the weights of classes."""
    total = sum(weights)
    return -sum(w / total * math.log2(w / total) for w in weights if w > 0)


def class_weights(y, w, classes):
    """The weight of each class."""
    return [sum(w[y == c]) for c in range(classes)]


def by_hand(codes, y, w, classes):
    """C4.5's rules, one threshold at a time."""
    n = sum(w)
    enough = min(max(0.1 * n / classes, 2.0), 25.0)
    before = entropy(class_weights(y, w, classes))
    best = {}
    for j in range(codes.shape[1]):
        tried = {}
        for k in sorted(set(codes[:, j]))[:-1]:
            sides = [codes[:, j] <= k, codes[:, j] > k]
            shares = [sum(w[side]) for side in sides]
            if min(shares) >= enough:
                after = sum(
                    share / n * entropy(class_weights(y[side], w[side], classes))
                    for side, share in zip(sides, shares, strict=True)
                )
                tried[k] = (before - after, entropy(shares))
        if tried:
            k = max(tried, key=lambda k: tried[k][0])
            gain = tried[k][0] - math.log2(len(tried)) / n
            if gain > splits.NOTHING:
                best[j] = (k, gain, gain / tried[k][1])
    if not best:
        return None, 0.0
    average = np.mean([gain for _, gain, _ in best.values()])
    able = {j: b for j, b in best.items() if b[1] >= average - splits.TOLERANCE}
    j = max(able, key=lambda j: able[j][2])
    return Split(j, int(able[j][0])), able[j][2]


def example(seed, n, d, values, classes, fractions):
    """Random codes, classes that follow a feature in part, and weights."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, values, size=(n, d)).astype(np.uint8)
    y = (codes[:, 0] * classes // values + (rng.random(n) < 0.3)) % classes
    w = rng.random(n) + 0.5 if fractions else np.ones(n)
    return codes, y.astype(np.intp), w


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 60),
    d=st.integers(1, 5),
    values=st.integers(1, 12),
    classes=st.integers(1, 4),
)
def test_splits_are_those_of_the_rules(seed, n, d, values, classes):
    """With weights that leave no ties, the split is the one found by hand."""
    codes, y, w = example(seed, n, d, values, classes, fractions=True)
    assert best_split(codes, y, w, classes) == by_hand(codes, y, w, classes)[0]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(20, 60))
def test_blocks_change_nothing(seed, n):
    """Counting the features in several goes finds the same split."""
    codes, y, w = example(seed, n, 7, 5, 3, fractions=True)
    whole = best_split(codes, y, w, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "MOST_ENTRIES", 2 * n)
        assert best_split(codes, y, w, 3) == whole
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "MOST_COUNTS", 1)
        assert best_split(codes, y, w, 3) == whole


def test_weights_are_copies():
    """Rows with whole weights split as their copies do."""
    codes, y, _ = example(3, 80, 6, 9, 3, fractions=False)
    copies = np.random.default_rng(3).integers(1, 4, size=80)
    repeated = np.repeat(np.arange(80), copies)
    found = best_split(codes, y, copies.astype(float), 3)
    assert found is not None
    assert found == best_split(codes[repeated], y[repeated], np.ones(len(repeated)), 3)


def test_a_sliver_with_a_high_ratio_does_not_win():
    """The gain ratio alone would cut off a few pure rows; a low gain is out first."""
    n = 400
    y = (np.arange(n) >= n // 2).astype(np.intp)
    halves = y.copy()
    halves[[10, 30, 50, 210, 230, 250]] ^= 1  # nearly all of the information
    sliver = (np.arange(n) >= n - 22).astype(np.intp)  # 22 rows of one class
    codes = np.stack([sliver, halves], axis=1).astype(np.uint8)
    assert best_split(codes, y, np.ones(n), 2) == Split(1, 0)


def test_sides_are_large_enough():
    """A perfect split that leaves too few rows on a side is not made."""
    y = np.array([1] * 4 + [0] * 76, dtype=np.intp)
    codes = np.where(y == 1, 1, 0).astype(np.uint8)[:, None]
    least = splits.LEAST_SHARE * len(y) / 2
    assert least == 4
    assert best_split(codes, y, np.ones(80), 2) == Split(0, 0)
    assert best_split(codes[1:], y[1:], np.ones(79), 2) is None


@pytest.mark.parametrize(
    ("codes", "y"),
    [
        (np.zeros((50, 2)), np.arange(50) % 2),  # constant features
        (np.arange(50)[:, None] // 10, np.zeros(50)),  # one class
        (np.arange(48)[:, None] // 12, np.arange(48) % 2),  # nothing to be learnt
    ],
)
def test_nothing_to_gain_is_no_split(codes, y):
    """Without information there is no split."""
    codes, y = codes.astype(np.uint8), y.astype(np.intp)
    assert best_split(codes, y, np.ones(len(y)), 2) is None


def test_bins_of_all_grey_levels_split():
    """Of 256 levels, the threshold is found that the classes were made with."""
    x = np.random.default_rng(0).integers(0, 256, size=5000)
    codes = into_bins(x[:, None].astype(float), np.ones(5000)).codes
    split = best_split(codes, (x > 117).astype(np.intp), np.ones(5000), 2)
    assert split == Split(0, 117)
