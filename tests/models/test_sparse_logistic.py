"""Sparse refinements are optimal: by their conditions, and as scikit-learn has it."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from facetwise.models.sparse_logistic import Linear, Problem, fit, sparsest

SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, n=120, d=8, C=4, offset=False, shift=0.0):
    """Rows whose classes follow three features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.3, 2.0, d) + shift
    truth = np.zeros((d, C))
    truth[:3] = 2 * rng.standard_normal((min(d, 3), C))
    y = np.argmax((X - shift) @ truth + rng.gumbel(size=(n, C)), axis=1)
    y[:C] = np.arange(C)  # every class occurs
    base = rng.standard_normal((n, C)) if offset else np.zeros((n, C))
    return Problem(X, y, rng.uniform(0.5, 2.0, n), base)


def solve(p, penalty, penalise_intercept=False, tol=1e-3):
    """A fit that has all the steps it wants."""
    return fit(
        p, penalty, penalise_intercept=penalise_intercept, tol=tol, max_iter=20_000
    )


def objective(p, linear, penalty, intercept_penalty=0.0):
    """The objective as the module states it, written out."""
    Z = p.offset + p.X @ linear.W + linear.b
    own = log_softmax(Z, axis=1)[np.arange(len(p.y)), p.y]
    mean = p.weights @ p.X / p.weights.sum()
    at_mean = linear.b + mean @ linear.W
    return (
        -(p.weights @ own) / p.weights.sum()
        + penalty * np.abs(linear.W).sum()
        + intercept_penalty * np.abs(at_mean).sum()
    )


def gradient(p, linear):
    """Of the loss by W and by the logits of the mean row, written out."""
    R = softmax(p.offset + p.X @ linear.W + linear.b, axis=1)
    R[np.arange(len(p.y)), p.y] -= 1.0
    R *= (p.weights / p.weights.sum())[:, None]
    mean = p.weights @ p.X / p.weights.sum()
    return (p.X - mean).T @ R, R.sum(axis=0)


def worst_miss(V, g, penalty):
    """How far the conditions of optimality are missed."""
    miss = np.where(
        V == 0, np.maximum(np.abs(g) - penalty, 0), np.abs(g + penalty * np.sign(V))
    )
    return miss.max()


@settings(max_examples=25)
@given(seed=SEEDS, penalty=st.floats(1e-3, 0.3), offset=st.booleans())
def test_conditions_of_optimality_hold(seed, penalty, offset):
    """No condition is missed by more than tol times the penalty."""
    p = problem(seed, offset=offset)
    for penalised in (False, True):
        found = solve(p, penalty, penalised)
        g, g_b = gradient(p, found.linear)
        at_mean = found.linear.b + p.weights @ p.X / p.weights.sum() @ found.linear.W
        allowed = 1e-3 * penalty + 1e-13
        assert worst_miss(found.linear.W, g, penalty) <= allowed
        # 0 in one coordinate system is rounding in another.
        at_mean[np.abs(at_mean) < 1e-12] = 0.0
        assert worst_miss(at_mean, g_b, penalty if penalised else 0.0) <= allowed
        assert found.violation <= 1e-3


@pytest.mark.parametrize("penalty", [0.003, 0.02, 0.1])
@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_objective_is_that_of_scikit_learn(penalty, shift):
    """SAGA finds the same minimum, the same zeros, and the same probabilities."""
    p = problem(7, shift=shift)
    found = solve(p, penalty, tol=1e-5).linear
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # penalty= has a new name
        saga = LogisticRegression(
            penalty="l1",
            l1_ratio=1.0,
            C=1.0 / (penalty * p.weights.sum()),
            solver="saga",
            tol=1e-10,
            max_iter=100_000,
            random_state=0,
        ).fit(p.X, p.y, sample_weight=p.weights)
    theirs = Linear(saga.coef_.T, saga.intercept_)
    ours, best = objective(p, found, penalty), objective(p, theirs, penalty)
    assert ours <= best + 1e-9
    assert ours == pytest.approx(best, abs=1e-7)
    assert np.allclose(
        softmax(found(p.X), axis=1), saga.predict_proba(p.X), rtol=0, atol=1e-4
    )
    contrasts, truth = (W - W[:, [0]] for W in (found.W, theirs.W))
    assert np.allclose(contrasts, truth, rtol=0, atol=2e-3)
    # Of solutions that only differ in what all classes share, ours is the sparsest.
    assert np.count_nonzero(found.W) <= np.count_nonzero(np.abs(theirs.W) > 1e-5)
    assert np.count_nonzero(found.W) < found.W.size


@pytest.mark.parametrize("C", [1, 2, 3, 4, 7])
def test_full_rows_are_moved_to_a_zero(C):
    """Rows without a zero get one, at no larger cost; differences of classes stay."""
    rng = np.random.default_rng(C)
    V = rng.standard_normal((50, C)) * (rng.random((50, C)) < 0.8)
    moved = sparsest(V)
    full = (V != 0).all(axis=1)
    assert full.any()
    assert np.array_equal(moved[~full], V[~full])
    assert np.all((moved == 0).sum(axis=1)[full] == 1)
    assert np.all(np.abs(moved).sum(axis=1) <= np.abs(V).sum(axis=1) + 1e-12)
    shift = moved - V
    assert np.allclose(shift, shift[:, [0]], rtol=0, atol=1e-15)


def test_everything_is_pruned_under_a_large_penalty():
    """Above the largest gradient at zero all weights are exactly 0."""
    p = problem(1)
    base = softmax(np.log(np.bincount(p.y, p.weights)))
    level = Linear(np.zeros((8, 4)), np.log(base))
    largest = np.abs(gradient(p, level)[0]).max()
    assert not solve(p, 1.01 * largest).linear.W.any()
    assert solve(p, 0.9 * largest).linear.W.any()


def test_free_intercepts_match_the_frequencies():
    """With all weights pruned, the probabilities are the shares of the classes."""
    p = problem(2)
    level = solve(p, 10.0, tol=1e-6).linear
    shares = np.bincount(p.y, p.weights) / p.weights.sum()
    assert np.allclose(softmax(level.b), shares, rtol=0, atol=1e-4)


def test_a_class_without_rows_stays_finite():
    """A penalised intercept stops where its gradient is the penalty."""
    p = problem(3)
    some = Problem(p.X, np.minimum(p.y, 2), p.weights, p.offset)
    found = solve(some, 0.01, penalise_intercept=True)
    assert found.violation <= 1e-3
    shares = softmax(found.linear(p.X), axis=1)
    assert p.weights @ shares[:, 3] / p.weights.sum() == pytest.approx(0.01, rel=0.01)


def test_nothing_is_refined_that_is_right():
    """On top of the optimum, a penalty that is no lower leaves all refinements 0."""
    p = problem(4)
    first = solve(p, 0.02, tol=1e-4).linear
    again = Problem(p.X, p.y, p.weights, first(p.X))
    refined = solve(again, 0.0201, penalise_intercept=True).linear
    assert not refined.W.any()
    assert not refined.b.any()


def test_few_steps_are_owned_up_to():
    """A fit that was stopped says by how much its conditions are missed."""
    p = problem(5)
    found = fit(p, 0.01, penalise_intercept=False, tol=1e-6, max_iter=2)
    g, g_b = gradient(p, found.linear)
    assert found.iterations == 2
    assert found.violation > 1e-6
    worst = max(worst_miss(found.linear.W, g, 0.01), np.abs(g_b).max())
    assert worst <= 0.01 * found.violation * (1 + 1e-9)


def test_large_logits_do_not_overflow():
    """Logits in the thousands give finite losses and weights."""
    p = problem(6)
    far = Problem(p.X, p.y, p.weights, 5000.0 * p.offset + 4000.0)
    loss, residual = far.loss(Linear(np.zeros((8, 4)), np.array([0, 900, -900, 5e3])))
    assert np.isfinite(loss)
    assert np.isfinite(residual).all()
