"""Designs are orthonormal whatever the number of features."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.core.designs import LARGEST_FACTOR, SignedCosine, factors, uniform_cloud

SMALL = st.integers(1, 400)
LARGE = [1024, 1031, 2003, 3072, 4096 * 3, 2 * 1031, 10007, 28 * 28 * 4]
SEEDS = st.integers(0, 2**32 - 1)


def design(d, seed=0):
    """A design of d features."""
    return SignedCosine(d, np.random.default_rng(seed))


@given(d=SMALL, seed=SEEDS)
def test_rows_are_orthonormal(d, seed):
    """All rows together are an orthogonal matrix."""
    G = design(d, seed).rows(0, d)
    assert G.shape == (d, d)
    assert np.allclose(G @ G.T, np.eye(d), rtol=0, atol=1e-13)


@pytest.mark.parametrize("d", LARGE)
def test_rows_are_orthonormal_in_part(d):
    """Chunks from all over a large design are orthonormal, one to another as well."""
    big = design(d)
    starts = sorted({0, 7, d // 3, d // 2, d - 5})
    G = np.vstack([big.rows(start, start + 5) for start in starts])
    assert np.allclose(G @ G.T, np.eye(len(G)), rtol=0, atol=1e-12)


@given(d=st.integers(2, 400), seed=SEEDS, cut=st.floats(0, 1))
def test_rows_do_not_depend_on_the_chunk(d, seed, cut):
    """A design asked for in two chunks is the same design."""
    whole, k = design(d, seed), 1 + int(cut * (d - 2))
    parts = np.vstack([whole.rows(0, k), whole.rows(k, d)])
    assert np.array_equal(parts, whole.rows(0, d))


@given(d=SMALL, seed=SEEDS)
def test_project_and_coordinates_are_the_matrix(d, seed):
    """Projecting is G'L, coordinates are G u, as matrix products have it."""
    rng = np.random.default_rng(seed)
    some = SignedCosine(d, rng)
    G, L, u = some.rows(0, d), rng.standard_normal((d, 3)), rng.standard_normal((4, d))
    assert np.allclose(some.project(L), G.T @ L, rtol=0, atol=1e-12)
    assert np.allclose(some.coordinates(u), u @ G.T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("d", LARGE)
def test_project_undoes_coordinates(d):
    """In a large design the two are each other's inverse, and agree with its rows."""
    rng = np.random.default_rng(d)
    big = SignedCosine(d, rng)
    u = rng.standard_normal((2, d))
    c = big.coordinates(u)
    assert np.allclose(big.project(c.T).T, u, rtol=0, atol=1e-11)
    start = d // 2 - 3
    assert np.allclose(
        big.rows(start, start + 6) @ u.T, c[:, start : start + 6].T, rtol=0, atol=1e-10
    )


@given(d=SMALL, seed=SEEDS)
def test_reach_bounds_every_entry(d, seed):
    """No entry of the rows is above `reach`, and the largest one is not far below."""
    some = design(d, seed)
    largest = np.abs(some.rows(0, d)).max()
    assert largest <= some.reach
    assert largest >= 0.7 * some.reach


@pytest.mark.parametrize("d", LARGE)
def test_reach_bounds_large_designs(d):
    """The bound holds in large designs, and allows steps longer than the half-width."""
    big = design(d)
    for start in [0, 1, d // 2, d - 8]:
        assert np.abs(big.rows(start, start + 8)).max() <= big.reach
    assert 1 / big.reach > 1


@given(d=st.integers(1, 10**6))
def test_factors_multiply_to_d(d):
    """Factors multiply to d; one that is too large has no factor to split off."""
    parts = factors(d)
    assert math.prod(parts) == d
    for f in parts:
        divisors = np.arange(2, LARGEST_FACTOR + 1)
        assert f <= LARGEST_FACTOR or not (f % divisors == 0).any()


def test_images_factor():
    """A photograph of 224 x 224 x 3 splits into cosine matrices that fit in memory."""
    assert max(factors(224 * 224 * 3)) <= LARGEST_FACTOR
    assert len(factors(224 * 224 * 3)) == 2


def test_signs_differ_from_seed_to_seed():
    """Two seeds give two designs, one seed gives one."""
    assert np.array_equal(design(50, 1).rows(0, 50), design(50, 1).rows(0, 50))
    assert not np.array_equal(design(50, 1).rows(0, 50), design(50, 2).rows(0, 50))


@given(d=st.integers(1, 30), seed=SEEDS)
def test_clouds_fill_their_box(d, seed):
    """Clouds are inside their box and reach every corner of it."""
    half = np.geomspace(1e-6, 1e6, d)
    steps = uniform_cloud(np.random.default_rng(seed), 200, half) / half
    assert steps.shape == (200, d)
    assert np.abs(steps).max() <= 1
    assert (steps.max(axis=0) > 0.8).all()
    assert (steps.min(axis=0) < -0.8).all()
