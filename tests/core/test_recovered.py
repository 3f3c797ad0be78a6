"""A record holds what an inquiry found, and a mean over rivals keeps its bounds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.core.inquiry import Inquiry
from facetwise.core.recovered import AGAINST_ALL, Local, Recovered, mean_of, nothing
from facetwise.core.response import LogOdds, Response
from facetwise.core.status import Status


def bounded(rng, d):
    """A true affine function, what was found of it, and bounds that just hold."""
    D, base = rng.standard_normal(d), float(rng.standard_normal())
    off, off_base = rng.standard_normal(d), float(rng.standard_normal())
    found = Local(
        D + off,
        base + off_base,
        float(np.linalg.norm(off)),
        np.abs(off),
        abs(off_base),
        Status.CERTIFIED,
    )
    return D, base, found


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 5), rivals=st.integers(1, 6))
def test_the_mean_is_within_its_bounds(seed, d, rivals):
    """If each pair is within its bounds their mean is, for weights and base alike."""
    rng = np.random.default_rng(seed)
    Ds, bases, pairs = zip(*(bounded(rng, d) for _ in range(rivals)), strict=True)
    mean, slack = mean_of(list(pairs), np.ones(len(pairs[0].D))), 1 + 1e-9
    off = mean.D - np.mean(Ds, axis=0)
    assert np.linalg.norm(off) <= slack * mean.bound
    assert (np.abs(off) <= slack * mean.weight_bound).all()
    assert abs(mean.base - np.mean(bases)) <= slack * mean.base_bound


@given(seed=st.integers(0, 2**32 - 1), rivals=st.integers(1, 6))
def test_equal_errors_reach_the_bounds(seed, rivals):
    """Where all pairs are off by the same the bounds of their mean are no wider."""
    _, _, found = bounded(np.random.default_rng(seed), 3)
    mean = mean_of([found] * rivals, np.ones(3))
    assert mean.bound == pytest.approx(found.bound)
    assert mean.weight_bound == pytest.approx(found.weight_bound)
    assert mean.base_bound == pytest.approx(found.base_bound)
    assert mean.status is Status.CERTIFIED


def test_frozen_features_stay_nan_in_the_mean():
    """A feature that no pair has a weight for has none in their mean."""
    _, _, found = bounded(np.random.default_rng(0), 3)
    found.D[1] = found.weight_bound[1] = np.nan
    mean = mean_of([found, found], np.ones(3))
    assert np.isnan(mean.D).tolist() == [False, True, False]
    assert np.isnan(mean.weight_bound).tolist() == [False, True, False]
    assert np.isfinite(mean.bound)


def test_a_weight_that_only_some_pairs_have_goes_into_the_base():
    """The mean has none for that feature, and is the same function at the instance."""
    rng = np.random.default_rng(0)
    (_, _, one), (_, _, other) = bounded(rng, 3), bounded(rng, 3)
    x = rng.standard_normal(3)
    before = np.mean([p.D @ x + p.base for p in (one, other)])
    # Against the other rival, feature 1 has its share in the base.
    without = replace(other, base=other.base + float(other.D[1] * x[1]))
    without.D[1] = without.weight_bound[1] = np.nan
    mean = mean_of([one, without], x)
    assert np.isnan(mean.D).tolist() == [False, True, False]
    assert mean.base + np.nansum(mean.D * x) == pytest.approx(before)


@pytest.mark.parametrize("fill", [np.nan, 0.0])
def test_nothing_is_bounded_where_nothing_was_found(fill):
    """Weights that stand for nothing have no finite bound, and keep their status."""
    none = nothing(4, Status.SATURATED, fill)
    assert np.array_equal(none.D, np.full(4, fill), equal_nan=True)
    assert np.isnan([none.base, none.bound, none.base_bound]).all()
    assert np.isnan(none.weight_bound).all()
    assert none.weight_bound.shape == (4,)
    assert none.status is Status.SATURATED


def test_weights_and_their_bounds_are_not_one_array():
    """Changing the weights of a record in place leaves its missing bounds missing."""
    none = nothing(2, Status.PIECEWISE_CONSTANT, 0.0)
    none.D[:] = 0.0
    assert np.isnan(none.weight_bound).all()


def inquiry(target=2):
    """An inquiry into class 2 of four that has asked 17 questions for 3 designs."""
    read = LogOdds(Response.PROBABILITIES, target, (0, 1, 3))
    made = Inquiry(read, np.zeros(5), np.ones(5, dtype=bool))
    made.queries, made.designs = 17, 3
    return made


def test_a_record_counts_what_was_asked():
    """Target, questions and designs of a record are those of the inquiry."""
    found = Recovered.of(inquiry(), nothing(5, Status.REFUSED))
    assert (found.target, found.queries, found.designs) == (2, 17, 3)


def test_a_record_has_the_status_of_its_values():
    """The row's status is that of the weights shown, and not of any pair."""
    local = nothing(5, Status.TOO_COARSE)
    pairs = {0: nothing(5, Status.SATURATED)}
    found = Recovered.of(inquiry(), local, pairs=pairs)
    assert found.status is Status.TOO_COARSE
    assert found.pairs == pairs
    assert found.local is local


def test_what_is_not_known_of_a_record_is_nan():
    """A record that says no more compares with no rival and has no radius or floor."""
    found = Recovered.of(inquiry(), nothing(5, Status.REFUSED))
    assert found.contrast == AGAINST_ALL
    assert found.pairs == {}
    assert np.isnan([found.radius, found.reach, found.floor]).all()


def test_a_record_keeps_radius_reach_and_floor_apart():
    """Three numbers that are alike in kind are not exchanged."""
    found = Recovered.of(
        inquiry(), nothing(5, Status.SMOOTH), 3, radius=1.0, reach=2.0, floor=3.0
    )
    assert (found.radius, found.reach, found.floor) == (1.0, 2.0, 3.0)
    assert found.contrast == 3
