"""The bound holds as often as it says, whatever the error looks like."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.core.certificate import (
    error_bound,
    share_that_agrees,
    small_ball_quantile,
)
from facetwise.core.radius import FINE

ALPHA = 0.05
CHECKS = FINE.checks
RUNS = 4000
# Five standard deviations of a count of failures at the rate that is allowed.
ALLOWED = ALPHA * RUNS + 5 * math.sqrt(ALPHA * (1 - ALPHA) * RUNS)


def test_quantile_of_one_square():
    """One squared uniform is below q with chance √q."""
    assert small_ball_quantile(0.3, 1) == pytest.approx(0.09)
    assert small_ball_quantile(1e-6, 1) == pytest.approx(1e-12)


def test_quantile_of_two_squares():
    """Two of them are in a quarter of a disc, of area πq/4, while q is at most 1."""
    assert small_ball_quantile(np.pi / 4, 2) == pytest.approx(1.0)
    assert small_ball_quantile(0.01, 2) == pytest.approx(0.04 / np.pi)


@pytest.mark.parametrize("m", [3, 4, 5])
def test_quantile_is_exact_within_the_unit_ball(m):
    """While q is at most 1 the chance of a smaller sum is alpha, by simulation."""
    q = 0.8
    alpha = (np.pi * q) ** (m / 2) / math.gamma(m / 2 + 1) / 2**m
    assert small_ball_quantile(alpha, m) == pytest.approx(q)
    U = np.random.default_rng(m).random((200_000, m))
    below = np.mean((U**2).sum(axis=1) <= q)
    assert abs(below - alpha) < 5 * math.sqrt(alpha / 200_000)


@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.002])
@pytest.mark.parametrize("m", [2, 8, CHECKS])
def test_quantile_is_never_too_large(m, alpha):
    """Sums of squares are below q no more often than alpha, for large q as well."""
    U = np.random.default_rng(m).random((200_000, m))
    below = np.mean((U**2).sum(axis=1) <= small_ball_quantile(alpha, m))
    assert below <= alpha + 5 * math.sqrt(alpha / 200_000)


@given(m=st.integers(1, 100), alpha=st.floats(1e-12, 0.5), factor=st.floats(0.01, 0.99))
def test_quantile_grows_with_alpha(m, alpha, factor):
    """A smaller chance of failure never costs less."""
    q = small_ball_quantile(alpha, m)
    assert 0 < small_ball_quantile(alpha * factor, m) <= q
    assert np.isfinite(q)


def directions(d, rng):
    """Errors of unit length that are as different as can be."""
    diagonal = np.zeros(d)
    diagonal[: min(d, 2)] = 1.0
    decaying = 2.0 ** -np.arange(d)
    dense = np.ones(d)
    some = rng.standard_normal(d)
    axis = np.eye(d)[d // 2]
    named = {
        "axis": axis,
        "diagonal": diagonal,
        "dense": dense,
        "decaying": decaying,
        "random": some,
    }
    return {name: e / np.linalg.norm(e) for name, e in named.items()}


KINDS = list(directions(2, np.random.default_rng(0)))


def failures(e, rng, m, offset=0.0, noise=None, low=-1.0, high=1.0):
    """How often, in `RUNS` runs, the bound is below the error's own length.

    Check points are uniform between `low` and `high` half-widths of the instance, in
    each feature; half the length of what is sampled is what counts.
    """
    u = rng.uniform(low, high, (m, RUNS, len(e)))
    residuals = u @ e + offset
    hidden = np.zeros_like(residuals)
    if noise is not None:
        # The worst that noise can do: hide as much of each residual as it may.
        hidden = np.full_like(residuals, noise)
        residuals = np.sign(residuals) * np.maximum(np.abs(residuals) - noise, 0)
    bound = error_bound(residuals, hidden, ALPHA)
    assert bound.shape == (RUNS,)
    return np.count_nonzero(bound < (high - low) / 2 * np.linalg.norm(e))


@pytest.mark.parametrize("m", [1, 2, 4, CHECKS])
@pytest.mark.parametrize("d", [1, 2, 3, 30])
@pytest.mark.parametrize("kind", KINDS)
def test_bound_holds_for_any_direction(kind, d, m):
    """At 5 % allowed, no direction of the error fails the bound more often."""
    rng = np.random.default_rng([d, m])
    e = directions(d, rng)[kind]
    assert failures(e, rng, m) <= ALLOWED


@pytest.mark.parametrize("offset", [1e-3, 0.3, 1.0, -10.0])
@pytest.mark.parametrize("kind", KINDS)
def test_bound_holds_with_an_offset(kind, offset):
    """A residual that all check points share, whatever its size, breaks nothing."""
    rng = np.random.default_rng(1)
    e = directions(5, rng)[kind]
    for m in [1, CHECKS]:
        assert failures(e, rng, m, offset=offset) <= ALLOWED


@pytest.mark.parametrize("kind", KINDS)
def test_bound_holds_in_one_sided_boxes(kind):
    """Boxes to one side of the instance are bounded by half of their own width."""
    rng = np.random.default_rng(2)
    e = directions(4, rng)[kind]
    for m in [1, 2, CHECKS]:
        assert failures(e, rng, m, low=0.0, high=1.0) <= ALLOWED


@pytest.mark.parametrize("noise", [1e-3, 0.1, 1.0])
@pytest.mark.parametrize("kind", KINDS)
def test_bound_holds_under_the_worst_noise(kind, noise):
    """Noise that hides as much of each residual as it may is paid for."""
    rng = np.random.default_rng(3)
    e = directions(6, rng)[kind]
    for m in [1, 2, CHECKS]:
        assert failures(e, rng, m, noise=noise) <= ALLOWED


@given(
    e=st.lists(st.floats(-1, 1), min_size=1, max_size=6).filter(
        lambda e: np.linalg.norm(e) > 1e-3
    ),
    offset=st.floats(-1, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_bound_holds_for_what_hypothesis_thinks_of(e, offset, seed):
    """No error and no offset that can be searched for fails more often than allowed."""
    rng = np.random.default_rng(seed)
    e = np.array(e) / np.linalg.norm(e)
    assert failures(e, rng, 1, offset=offset) <= ALLOWED + 20


def test_no_smaller_constant_would_do():
    """Along the diagonal of two features failures come as often as they may."""
    e = directions(2, np.random.default_rng(0))["diagonal"]
    rate = failures(e, np.random.default_rng(4), 1) / RUNS
    assert 0.8 * ALPHA < rate < 1.2 * ALPHA


def test_bound_is_not_wide():
    """At one in a million, it is a few times the error."""
    rng = np.random.default_rng(5)
    e = directions(30, rng)["random"]
    u = rng.uniform(-1, 1, (CHECKS, RUNS, 30))
    bound = error_bound(u @ e, np.zeros((CHECKS, RUNS)), 1e-6)
    assert 1.0 < np.median(bound) < 5.0


@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(1e-9, 1e9))
def test_bound_scales_with_the_answers(seed, factor):
    """Log-odds in other units are bounded in those units, and noise never helps."""
    rng = np.random.default_rng(seed)
    residuals, noise = rng.standard_normal((CHECKS, 3)), rng.random(3)
    noise = np.tile(noise, (CHECKS, 1))
    bound = error_bound(residuals, noise, 1e-6)
    scaled = error_bound(factor * residuals, factor * noise, 1e-6)
    assert np.allclose(scaled, factor * bound)
    assert (bound >= error_bound(residuals, 0 * noise, 1e-6)).all()


def test_share_that_agrees():
    """So many points agree by chance in a share of the box as often as allowed."""
    for alpha in [1e-2, 1e-6, 1e-12]:
        share = share_that_agrees(alpha, CHECKS)
        assert 0 < share < 1
        assert share**CHECKS == pytest.approx(alpha)
