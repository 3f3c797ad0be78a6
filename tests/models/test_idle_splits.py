"""Taking out splits that make no difference makes none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.models.idle_splits import without_idle_splits
from facetwise.models.logistic_tree import NONE, LogisticTree


def random_tree(seed, depth, kinds):
    """A tree whose leaves draw their classifier from a few kinds."""
    rng = np.random.default_rng(seed)
    nodes = []  # feature, threshold, left, right, leaf
    leaves = []

    def grow(depth):
        node = len(nodes)
        nodes.append([NONE, 0.0, NONE, NONE, NONE])
        if depth == 0 or rng.random() < 0.2:
            nodes[node][4] = len(leaves)
            leaves.append(rng.integers(kinds))
        else:
            nodes[node][:2] = rng.integers(3), rng.standard_normal()
            nodes[node][2] = grow(depth - 1)
            nodes[node][3] = grow(depth - 1)
        return node

    grow(depth)
    columns = [np.array(c) for c in zip(*nodes, strict=True)]
    W = rng.standard_normal((kinds, 2, 3))
    b = rng.standard_normal((kinds, 2))
    weight = rng.integers(1, 9, len(leaves)).astype(float)
    accuracy = rng.random(len(leaves))
    return LogisticTree(*columns, W[leaves], b[leaves], weight, accuracy)


@given(seed=st.integers(0, 2**32 - 1), depth=st.integers(0, 6), kinds=st.integers(1, 3))
def test_answers_stay(seed, depth, kinds):
    """Logits stay bit for bit, sums over leaves stay, and no idle split is left."""
    tree = random_tree(seed, depth, kinds)
    lean = without_idle_splits(tree)
    X = np.random.default_rng(seed).standard_normal((50, 3))
    assert np.array_equal(lean.W[lean.leaf_of(X)], tree.W[tree.leaf_of(X)])
    assert np.array_equal(lean.b[lean.leaf_of(X)], tree.b[tree.leaf_of(X)])
    assert lean.weight.sum() == tree.weight.sum()
    assert lean.weight @ lean.accuracy == pytest.approx(tree.weight @ tree.accuracy)
    for left, right in zip(lean.left, lean.right, strict=True):
        if left != NONE and NONE not in (ends := lean.leaf[[left, right]]):
            assert not np.array_equal(*lean.W[ends])
    assert sorted(lean.leaf[lean.leaf != NONE]) == list(range(len(lean.weight)))
    assert len(lean.leaf) == 2 * len(lean.weight) - 1


def test_a_tree_of_one_kind_is_a_leaf():
    """Where all leaves are alike, the whole tree is one leaf."""
    lean = without_idle_splits(random_tree(1, 6, 1))
    assert list(lean.leaf) == [0]
    assert list(lean.feature) == [NONE]


def test_a_lean_tree_is_left_alone():
    """A tree without idle splits comes back as it is."""
    tree = random_tree(2, 5, 3)
    once = without_idle_splits(tree)
    twice = without_idle_splits(once)
    assert len(once.leaf) < len(tree.leaf)
    for name in LogisticTree.__slots__:
        assert np.array_equal(getattr(once, name), getattr(twice, name))
