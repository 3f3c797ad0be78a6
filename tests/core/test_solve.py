"""Weights come out exactly, and a few spoiled probes can be repaired."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facetwise.core.designs import SignedCosine, uniform_cloud
from facetwise.core.domain import Domain
from facetwise.core.radius import FINE
from facetwise.core.solve import PlacedDesign

SEEDS = st.integers(0, 2**32 - 1)


def placed(rng, x, r, lower=None, scale=None):
    """A design in the box of half-width r about x."""
    domain = Domain(lower=lower, scale=scale).resolve(x[None])
    return PlacedDesign(SignedCosine(len(x), rng), domain.around(x).box(r))


def answers(design, D):
    """Differences (d, K) of an affine function with weights D, probe by probe."""
    points = np.vstack([design.points(*chunk) for chunk in design.chunks()])
    return (points - design.box.centre) @ D


def off(V, truth):
    """Largest error of a column, relative to its norm."""
    miss = np.linalg.norm(V - truth, axis=0)
    return (miss / np.linalg.norm(truth, axis=0)).max()


@given(d=st.integers(1, 80), seed=SEEDS, r=st.sampled_from([1.0, 2**-7, 1e-6, 1e-9]))
def test_weights_of_an_affine_function(d, seed, r):
    """An affine function's weights come back, on 32-bit lattices and off them."""
    rng = np.random.default_rng(seed)
    design = placed(rng, rng.standard_normal(d), r)
    D = rng.standard_normal((d, 3))
    truth = D * design.box.half[:, None]
    assert off(design.weights(answers(design, D)), truth) < 1e-10


@pytest.mark.parametrize("r", [2**-7, 1e-9])
def test_scales_side_by_side(r):
    """Features of sizes 1e-6 and 1e6 do not cost each other digits."""
    rng = np.random.default_rng(0)
    size = np.repeat([1e-6, 1.0, 1e6], 20)
    design = placed(rng, size * rng.uniform(1, 2, 60), r)
    D = rng.standard_normal((60, 2)) / size[:, None]
    V = design.weights(answers(design, D))
    truth = D * design.box.half[:, None]
    assert np.abs(V - truth).max() < 1e-10 * np.abs(truth).max()


@given(d=st.integers(1, 40), seed=SEEDS)
def test_weights_from_a_corner(d, seed):
    """On the edge of its domain an instance has a one-sided box, and exact weights."""
    rng = np.random.default_rng(seed)
    design = placed(rng, np.zeros(d), 0.125, lower=0.0)
    assert (design.points(0, d) >= 0).all()
    D = rng.standard_normal((d, 2))
    truth = D * design.box.half[:, None]
    assert off(design.weights(answers(design, D)), truth) < 1e-10


def test_weights_of_many_features():
    """A design in more than one chunk is solved like one in a single chunk."""
    rng = np.random.default_rng(1)
    d = 2304
    design = placed(rng, rng.standard_normal(d), 2**-7)
    assert len(list(design.chunks())) > 1
    D = rng.standard_normal((d, 1))
    truth = D * design.box.half[:, None]
    assert off(design.weights(answers(design, D)), truth) < 1e-10


def test_chunks_cover_the_design_once():
    """Chunks follow one another from the first probe to the last."""
    rng = np.random.default_rng(2)
    for d in [1, 5, 784, 5000]:
        ranges = list(placed(rng, np.ones(d), 0.5).chunks())
        flat = [i for start, stop in ranges for i in range(start, stop)]
        assert flat == list(range(d))


def test_probes_use_the_box():
    """Probes stay in the box and go far: twice the reach of a random rotation."""
    rng = np.random.default_rng(3)
    design = placed(rng, rng.standard_normal(200), 2**-7)
    u = design.steps(0, 200)
    assert np.abs(u).max() <= 1
    assert np.linalg.norm(u, axis=1).min() > 0.95 * np.sqrt(200 / 2)


def spoil(rng, d, strays, K=2):
    """A design, its true weights, and those solved from answers of which some lie."""
    design = placed(rng, rng.standard_normal(d), 2**-7)
    D = rng.standard_normal((d, K))
    dL = answers(design, D)
    which = rng.choice(d, size=strays, replace=False)
    dL[which] += rng.uniform(0.1, 1.0, (strays, K)) * np.abs(dL).mean()
    return design, D * design.box.half[:, None], design.weights(dL)


def repaired(design, truth, V, rng, rounds):
    """V after check points were used to find strays; None where it failed."""
    u = uniform_cloud(rng, rounds * FINE.checks, np.ones(len(V)))
    floor = np.full((len(u), V.shape[1]), 1e-12 * np.abs(u @ truth).max())
    return design.without_strays(V, u, u @ (truth - V), floor)


@pytest.mark.parametrize(
    ("strays", "rounds", "times"),
    [(1, 1, 39), (2, 1, 39), (3, 1, 34), (5, 2, 39), (7, 3, 39)],
)
@pytest.mark.parametrize("d", [30, 100, 400])
def test_few_strays_are_repaired(d, strays, rounds, times):
    """A round of check points finds up to three probes that lie, more rounds more."""
    good = 0
    for seed in range(40):
        rng = np.random.default_rng([d, strays, seed])
        design, truth, V = spoil(rng, d, strays)
        assert off(V, truth) > 1e-4
        mended = repaired(design, truth, V, rng, rounds)
        assert mended is None or off(mended, truth) < 1e-9
        good += mended is not None
    assert good >= times


def test_many_strays_are_not_explained_away():
    """With thirty probes that lie no few of them explain it, and none are named."""
    rng = np.random.default_rng(4)
    design, truth, V = spoil(rng, 100, 30)
    assert repaired(design, truth, V, rng, 1) is None


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_few_features_have_no_strays_to_spare(d):
    """Where probes are so few, a probe that lies is not believed to be a stray."""
    rng = np.random.default_rng(d)
    design, truth, V = spoil(rng, d, min(d, 2))
    mended = repaired(design, truth, V, rng, 1)
    assert mended is None or off(mended, truth) < 1e-9
