"""Trees grow by the rules: where they split, where they stop, what a leaf holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from facetwise.models.growth import Rules, grow, standardise
from facetwise.models.logistic_tree import NONE
from facetwise.models.sparse_logistic import Linear

RULES = Rules(
    penalty=0.1, min_samples_split=40, max_accuracy=0.99, tol=1e-3, max_iter=5000
)


def rules(**changes):
    """The rules of these tests, some of them changed."""
    return Rules(**{name: getattr(RULES, name) for name in Rules.__slots__} | changes)


def two_lines(seed=0, n=600, d=5):
    """Classes by a line that is another one where the first feature is above 0."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, 0] = rng.integers(-4, 5, size=n)
    slope = np.where(X[:, 0] > 0, 3.0, -3.0)
    y = (slope * X[:, 1] + 4.0 * (X[:, 0] > 0) + 0.3 * X[:, 2] > 0.5).astype(np.intp)
    return X, y


def is_leaf(tree):
    """Which nodes are leaves."""
    return tree.leaf != NONE


def test_a_tree_beats_its_root():
    """Two linear pieces are learnt by a tree and not by one classifier."""
    X, y = two_lines()
    tree = grow(X, y, np.ones(len(y)), 2, RULES).tree
    root = grow(X, y, np.ones(len(y)), 2, rules(min_samples_split=10**6)).tree
    right = [float(np.mean(t.logits(X).argmax(axis=1) == y)) for t in (root, tree)]
    assert len(root.leaf) == 1
    assert right[0] < 0.93
    assert right[1] > 0.97
    assert 0 in tree.feature
    assert set(tree.threshold[tree.feature == 0]) == {0.5}


def test_nodes_stop_where_they_should():
    """Inner nodes are large and not accurate enough; what leaves tell is true."""
    X, y = two_lines()
    w = np.ones(len(y))
    tree = grow(X, y, w, 2, RULES).tree
    leaves = tree.leaf_of(X)
    right = tree.logits(X).argmax(axis=1) == y
    weights = np.bincount(leaves, w)
    assert np.allclose(tree.weight, weights)
    assert np.allclose(tree.accuracy, np.bincount(leaves, right) / weights)
    members = reached(tree, X)
    assert np.all(members.sum(axis=0)[~is_leaf(tree)] >= RULES.min_samples_split)
    assert sorted(tree.leaf[is_leaf(tree)]) == list(range(len(tree.weight)))
    looser = grow(X, y, w, 2, rules(max_accuracy=0.7)).tree
    assert len(looser.leaf) == 1
    assert looser.accuracy[0] > 0.7


def reached(tree, X):
    """Which nodes (n, t) each row passes through, followed one at a time."""
    passed = np.zeros((len(X), len(tree.leaf)), dtype=bool)
    for i, x in enumerate(X):
        node = 0
        passed[i, node] = True
        while tree.leaf[node] == NONE:
            left = x[tree.feature[node]] <= tree.threshold[node]
            node = (tree.left if left else tree.right)[node]
            passed[i, node] = True
        assert tree.leaf_of(x[None]) == tree.leaf[node]
    return passed


def test_training_rows_land_where_they_were_trained():
    """Thresholds send each training row to the leaf whose fit it was part of."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((1500, 3))  # finer than bins
    y = ((X[:, 0] > 0.2) ^ (X[:, 1] > 0) + (X[:, 2] > 1)).astype(np.intp)
    tree = grow(X, y, np.ones(1500), 2, RULES).tree
    assert len(tree.weight) > 2
    assert np.array_equal(np.bincount(tree.leaf_of(X)), tree.weight)


def test_units_do_not_matter():
    """Features in other units, and moved, give the same leaves and probabilities."""
    X, y = two_lines(3)
    unit, zero = np.array([1.0, 1e6, 1e-6, 3.0, 0.1]), np.array([0.0, 0, 0, 50, -2])
    w = np.ones(len(y))
    one, other = (
        grow(rows, y, w, 2, rules(tol=1e-6)).tree for rows in (X, X * unit + zero)
    )
    Z, other_Z = one.logits(X), other.logits(X * unit + zero)
    assert len(one.weight) > 1
    assert np.array_equal(one.leaf_of(X), other.leaf_of(X * unit + zero))
    assert np.allclose(softmax(Z, axis=1), softmax(other_Z, axis=1), atol=1e-5)
    assert np.array_equal(one.W != 0, other.W != 0)


def test_weights_are_copies():
    """Rows with whole weights grow the tree that their copies grow."""
    X, y = two_lines(5, n=300)
    copies = np.random.default_rng(5).integers(1, 4, size=300)
    many = np.repeat(np.arange(300), copies)
    sharp = rules(tol=1e-6)
    weighted = grow(X, y, copies.astype(float), 2, sharp).tree
    repeated = grow(X[many], y[many], np.ones(len(many)), 2, sharp).tree
    assert np.array_equal(weighted.feature, repeated.feature)
    assert np.array_equal(weighted.threshold, repeated.threshold)
    assert np.allclose(weighted.logits(X), repeated.logits(X), atol=1e-4)


@pytest.mark.parametrize(("n", "d"), [(40, 3), (40, 80), (400, 3)])
def test_the_root_pays_the_price_stated(n, d):
    """The root is optimal at λ = penalty/√n·(1 + d/n), and at no other."""
    rng = np.random.default_rng(n + d)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + 0.3 * rng.standard_normal(n) > 0).astype(np.intp)
    w = np.ones(n)
    tree = grow(X, y, w, 2, rules(min_samples_split=10**6, tol=1e-4)).tree
    R = softmax(tree.logits(X), axis=1) - np.eye(2)[y]
    largest = np.abs(standardise(X, w).X.T @ R / n).max()
    assert largest == pytest.approx(0.1 / np.sqrt(n) * (1 + d / n), rel=1e-3)


def test_more_penalty_is_sparser():
    """Weights are exactly 0, the more of them the larger the penalty."""
    X, y = two_lines(d=12)
    counts = [
        np.mean(grow(X, y, np.ones(len(y)), 2, rules(penalty=p)).tree.W != 0)
        for p in (0.03, 0.3, 2.0)
    ]
    assert counts[0] > counts[1] > counts[2]


def test_constant_features_weigh_nothing():
    """A feature that does not vary has no weight and no split, whatever its value."""
    X, y = two_lines()
    X[:, 3], X[:, 4] = 0.1, 1e300
    tree = grow(X, y, np.ones(len(y)), 2, RULES).tree
    assert not tree.W[:, :, 3:].any()
    assert not np.isin(tree.feature, (3, 4)).any()


def test_no_row_is_kept():
    """A tree of the same size is as large after ten times the rows."""
    sizes = set()
    for n in (400, 4000):
        X, y = two_lines(n=n)
        tree = grow(X, y, np.ones(n), 2, rules(min_samples_split=10**6)).tree
        arrays = (getattr(tree, name) for name in tree.__slots__)
        sizes.add(sum(a.nbytes for a in arrays))
    assert len(sizes) == 1


@given(seed=st.integers(0, 2**32 - 1))
def test_standardised_features_have_unit_variance(seed):
    """Means are 0 and variances 1 under the weights, whatever the magnitudes."""
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.1, 3, 50)
    X = (rng.standard_normal((50, 6)) + rng.standard_normal(6)) * 10.0 ** rng.integers(
        -200, 200, 6
    )
    X[:, 5] = rng.standard_normal() * 1e200
    standard = standardise(X, w)
    assert np.allclose(w @ standard.X / w.sum(), 0, atol=1e-12)
    assert np.allclose((w @ standard.X**2 / w.sum())[:5], 1, rtol=1e-9)
    assert not standard.X[:, 5].any()


def test_raw_weights_say_the_same():
    """A function of standardised rows and its raw form agree."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 4)) * [1, 1e4, 1e-4, 1] + [0, 0, 0, 9]
    standard = standardise(X, np.ones(40))
    linear = Linear(rng.standard_normal((4, 3)), rng.standard_normal(3))
    assert linear(standard.X) == pytest.approx(standard.raw(linear)(X), abs=1e-10)
