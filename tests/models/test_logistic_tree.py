"""Rows find their leaf, and its classifier answers."""

import numpy as np
import pytest

from facetwise.models.logistic_tree import NONE, LogisticTree, groups


@pytest.fixture
def tree():
    """Two tests, three leaves, two features, three classes."""
    rng = np.random.default_rng(0)
    return LogisticTree(
        feature=np.array([0, NONE, 1, NONE, NONE]),
        threshold=np.array([0.5, 0.0, -1.0, 0.0, 0.0]),
        left=np.array([1, NONE, 3, NONE, NONE]),
        right=np.array([2, NONE, 4, NONE, NONE]),
        leaf=np.array([NONE, 0, NONE, 1, 2]),
        W=rng.standard_normal((3, 3, 2)),
        b=rng.standard_normal((3, 3)),
        weight=np.ones(3),
        accuracy=np.ones(3),
    )


def test_a_row_at_the_threshold_goes_left(tree):
    """At most the threshold is left, above is right, down to a leaf."""
    X = np.array([[0.5, 9.0], [0.6, -1.0], [0.6, -0.9], [-3.0, -3.0]])
    assert list(tree.leaf_of(X)) == [0, 1, 2, 0]


def test_logits_are_those_of_the_leaf(tree):
    """Each row gets W x + b of its leaf, in its own place."""
    X = np.random.default_rng(1).uniform(-2, 2, size=(200, 2))
    leaves = tree.leaf_of(X)
    assert set(leaves) == {0, 1, 2}
    expected = [tree.W[t] @ x + tree.b[t] for t, x in zip(leaves, X, strict=True)]
    assert np.allclose(tree.logits(X), expected, rtol=0, atol=1e-13)


def test_no_rows_have_no_logits(tree):
    """An empty batch is answered with an empty one."""
    assert tree.logits(np.empty((0, 2))).shape == (0, 3)


@pytest.mark.parametrize("labels", [[], [0], [2, 0, 2, 1, 1, 2], [7, 7]])
def test_groups_are_the_rows_of_a_label(labels):
    """Every row is in the group of its label, once, in order."""
    labels = np.array(labels, dtype=np.intp)
    found = {label: list(rows) for label, rows in groups(labels)}
    assert found == {v: list(np.flatnonzero(labels == v)) for v in np.unique(labels)}
