"""A subspace is learnt from weights as far as they are sure, and used while it pays."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import facetwise.core.span as subspace
from facetwise.core.recovered import Asked, Recovered, nothing
from facetwise.core.span import WORTH, Directions, Span, completed
from facetwise.core.status import Status

D, K = 20, 6


def weights(rng, n, k=K, d=D):
    """Weights (d, n) that lie in k directions, the same for one generator's first."""
    basis = np.random.default_rng(99).standard_normal((d, k))
    return basis @ rng.standard_normal((k, n))


def taught(n=30, waves=3, error=1e-12, **sizes):
    """What was learnt from waves of n weights, off by a third of what bounds allow."""
    rng, span = np.random.default_rng(0), Span()
    for _ in range(waves):
        D = weights(rng, n, **sizes)
        e = rng.standard_normal(D.shape)
        D = D + error / 3.0 * e / np.linalg.norm(e, axis=0)
        span.learn(D, np.full(n, error))
    return span


def directions(span, seed=1):
    """Directions that a span has to offer."""
    return span.directions(np.random.default_rng(seed))


def outside(found, D):
    """Share of the weights (d, n) that lies in none of the directions."""
    left = D - found.project(found.coordinates(D.T).T)
    return np.linalg.norm(left) / np.linalg.norm(D)


def rows(asked, queries, status=Status.CERTIFIED, n=10):
    """Records of rows whose weights were asked along some directions."""
    record = Recovered(status, 0, -1, nothing(1, status), {}, 1.0, 1.0, 0.0, queries, 1)
    return [replace(record, asked=asked)] * n


# --- What is learnt -----------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 6, 14])
def test_weights_of_few_directions_are_spanned(k):
    """There are as many directions as weights lie in, and they hold new ones too."""
    found = directions(taught(k=k))
    assert (found.size, found.d) == (k, D)
    assert outside(found, weights(np.random.default_rng(5), 40, k)) < 1e-10
    G = found.rows(0, k)
    assert np.abs(G @ G.T - np.eye(k)).max() < 1e-12
    assert found.reach == np.abs(G).max()


@pytest.mark.parametrize("error", [1e-3, 1e-6, 1e-9])
def test_errors_are_no_directions(error):
    """What weights differ by within their own bounds opens no direction."""
    found = directions(taught(error=error))
    assert found.size == K
    assert outside(found, weights(np.random.default_rng(5), 40)) < 10.0 * error


def test_sure_weights_count_for_more_than_rough_ones():
    """A direction is as exact as the best weights that have shown it."""
    rng, span = np.random.default_rng(1), taught(error=1e-10)
    rough = weights(rng, 60)
    rough += 1e-3 * rng.standard_normal(rough.shape)
    span.learn(rough, np.full(60, 1e-3 * D**0.5))
    found = directions(span)
    assert outside(found, weights(rng, 40)) < 1e-8


def test_there_is_none_while_it_still_grows():
    """Directions that were nearly all new in the last wave are not all there are."""
    rng, span = np.random.default_rng(2), Span()
    assert directions(span) is None
    span.learn(weights(rng, 3), np.full(3, 1e-12))
    assert directions(span) is None
    span.learn(weights(rng, 3), np.full(3, 1e-12))
    assert directions(span) is None
    span.learn(weights(rng, 3), np.full(3, 1e-12))
    assert directions(span).size == K


def test_nearly_all_directions_are_not_worth_a_subspace():
    """Beyond a share of all directions it is given up, and its numbers with it."""
    most = int(WORTH * D)
    assert directions(taught(k=most, n=60)).size == most
    span = taught(k=most + 1, n=60)
    assert directions(span) is None
    assert span._learnt is None
    span.learn(weights(np.random.default_rng(3), 9), np.full(9, 1e-12))
    assert span._learnt is None


def test_a_basis_too_large_for_memory_is_given_up(monkeypatch):
    """A basis has a limit in numbers, whatever it might spare."""
    monkeypatch.setattr(subspace, "MOST_NUMBERS", D * K)
    assert directions(taught()).size == K
    monkeypatch.setattr(subspace, "MOST_NUMBERS", D * K - 1)
    assert directions(taught()) is None


@pytest.mark.parametrize("size", [1e-150, 1e-30, 1e30, 1e150])
def test_weights_of_any_size_are_taken_in(size):
    """Their unit changes nothing, and neither do weights of zero or bounds of none."""
    rng, span = np.random.default_rng(4), Span()
    for _ in range(3):
        D = size * weights(rng, 20)
        D[:, ::5] = 0.0
        span.learn(D, np.zeros(20))
    assert directions(span).size == K
    assert outside(directions(span), weights(rng, 9)) < 1e-10


# --- When it is used ----------------------------------------------------------------


def test_a_subspace_rests_while_it_does_not_pay():
    """Where rows inside cost more than others it is left, and later tried again."""
    span = taught()
    span.judge(rows(Asked.ALL, 40))
    assert directions(span) is not None
    span.judge(rows(Asked.INSIDE, 26))
    assert directions(span) is not None
    span.judge(rows(Asked.REST, 60))
    assert directions(span) is None
    span.judge(rows(Asked.ALL, 40))
    assert directions(span) is not None
    span.judge(rows(Asked.INSIDE, 26, Status.TOO_COARSE))
    assert directions(span) is None


def test_designs_in_a_subspace_differ_by_their_seed():
    """Each instance probes along directions of its own in the same subspace."""
    span = taught()
    one, other = directions(span, 1), directions(span, 2)
    assert np.array_equal(one.rows(0, K), directions(span, 1).rows(0, K))
    assert np.abs(one.rows(0, K) - other.rows(0, K)).max() > 0.1
    assert outside(one, other.rows(0, K).T) < 1e-12


# --- Directions ---------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 8))
def test_projections_and_coordinates_are_those_of_the_rows(seed, k):
    """G'L and G u are what multiplying by the rows gives."""
    rng = np.random.default_rng(seed)
    G = np.linalg.qr(rng.standard_normal((8, k)))[0].T
    found = Directions(G)
    L, u = rng.standard_normal((k, 3)), rng.standard_normal((4, 8))
    assert np.array_equal(found.rows(0, k), G)
    assert found.project(L) == pytest.approx(G.T @ L)
    assert found.coordinates(u) == pytest.approx(u @ G.T)


def test_rows_may_be_changed_by_who_asked_for_them():
    """A caller that scales rows in place leaves the directions as they are."""
    found = directions(taught())
    first = found.rows(0, K)
    first *= 2.0
    assert np.array_equal(found.rows(0, K), first / 2.0)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 7))
def test_what_is_missing_comes_after_what_there_was(seed, k):
    """Completed directions begin with the same rows, and are all, and orthonormal."""
    rng = np.random.default_rng(seed)
    part = Directions(np.linalg.qr(rng.standard_normal((8, k)))[0].T)
    whole = completed(part, rng)
    assert (whole.size, whole.d) == (8, 8)
    assert np.array_equal(whole.rows(0, k), part.rows(0, k))
    G = whole.rows(0, 8)
    assert np.abs(G @ G.T - np.eye(8)).max() < 1e-12


def test_directions_are_mixed_so_that_none_sticks_out():
    """Single features as a basis become directions that move them all alike."""
    rng, span = np.random.default_rng(3), Span()
    for _ in range(3):
        alone = np.zeros((64, 32))
        alone[:16] = rng.standard_normal((16, 32))
        span.learn(alone, np.full(32, 1e-12))
    assert directions(span).reach < 0.75
